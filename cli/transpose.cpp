#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "change.hpp"
#include "commands.hpp"
#include "cornerturn/error.hpp"
#include "cornerturn/file.hpp"
#include "cornerturn/text.hpp"
#include "interrupt.hpp"
#include "lists.hpp"
#include "options.hpp"
#include "progress.hpp"
#include "size.hpp"
#include "text.hpp"
#include "types.hpp"

namespace cornerturn::cli {
namespace {

struct arguments {
  std::string input, output, axes, shape, type, dtype, flip, offset = "0", order = "C", byte_order, device = "auto";
  std::string lengths;
  std::optional<std::string> format, out_shape, memory;
  double alpha = 1;
  char type_order = '=';  ///< of --type, as in NumPy's codes
  bool has_axes = false, raw = false, conjugate = false, inplace = false, saturate = false, unpack = false;
};

std::string describe(file_report const& report, double seconds) {
  bool const structured = report.dtype.starts_with('[') || report.dtype.starts_with('(');
  bool const in_part = report.moved_bytes < report.bytes;
  std::string text =
      fmt::format("({}{}) of {}, {}{} in {:.3g} s", fmt::join(report.shape, ", "), report.shape.size() == 1 ? "," : "",
                  structured ? "a structured dtype" : report.dtype, size_text(report.bytes),
                  in_part ? fmt::format(", of which {} moved", size_text(report.moved_bytes)) : "", seconds);
  if (report.moved_bytes == 0) return text;
  constexpr std::int64_t kLeastTimed = 1 << 20;  // bytes; below, planning dominates the time
  bool const timed = report.moved_bytes >= kLeastTimed;
  auto const bytes = double(report.moved_bytes);
  if (timed) text += ", " + speed_text(bytes, seconds);
  text += "; moved in memory";
  if (timed) text += " at " + speed_text(bytes, report.seconds);
  return text + fmt::format(" on the {}", report.processor == "cpu" ? "CPU" : "GPU");
}

/// Throws `error` for "-", by which other programs mean standard input or output.
void refuse_stream(std::string_view name, std::string_view path, std::string_view done) {
  if (path == "-")
    refuse(name, path, fmt::format("a file, because its elements are not {} in order; ./- names a file called -", done));
}

/// Throws `error` for a file name whose suffix is that of another format than the one that is written.
void refuse_foreign_suffix(std::string_view path, bool is_raw) {
  constexpr std::string_view kOthers[] = {".csv", ".gz",  ".h5", ".hdf5",        ".mat", ".nc",   ".nii",
                                          ".npz", ".pkl", ".pt", ".safetensors", ".tif", ".tiff", ".zarr"};
  constexpr std::string_view kRaw[] = {".bin", ".dat", ".raw"};
  std::filesystem::path named(path);
  auto suffix = named.extension().string();
  for (char& c : suffix) c = char(std::tolower(static_cast<unsigned char>(c)));
  bool const is_foreign = is_raw ? suffix == ".npy" : std::ranges::count(kRaw, suffix) > 0;
  if (!is_foreign && std::ranges::count(kOthers, suffix) == 0) return;
  auto const meant = named.replace_extension(is_raw ? ".raw" : ".npy").string();
  refuse("OUT", path, fmt::format("a {}, e.g. {}", is_raw ? "raw file with --raw" : ".npy file without --raw", meant));
}

bool is_fortran(std::string_view order) {
  if (order != "C" && order != "F") refuse("--order", order, "C or F");
  return order == "F";
}

/// The byte order of a raw IN, which --byteorder or --type says.
std::endian byte_order_of(arguments const& given) {
  bool const by_type = given.type_order == '>';
  if (given.byte_order.empty()) return by_type ? std::endian::big : std::endian::little;
  if (given.byte_order != "big" && given.byte_order != "little") refuse("--byteorder", given.byte_order, "big or little");
  bool const is_big = given.byte_order == "big";
  if (is_big ? given.type_order == '<' : by_type)
    refuse("--byteorder", given.byte_order, fmt::format("{}, as in --type", by_type ? "big" : "little"));
  return is_big ? std::endian::big : std::endian::little;
}

/// The lengths of axes in a text such as x=8,c=2.
std::vector<format_call::length> lengths_of(std::string_view text) {
  std::vector<format_call::length> result;
  while (!text.empty()) {
    auto const item = text.substr(0, text.find(','));
    auto const equals = std::min(item.find('='), item.size());
    if (equals == 0 || equals == item.size())
      refuse("--lengths", item, "names and lengths with = and commas between them, e.g. x=8,c=2");
    std::string const name(item.substr(0, equals));
    result.push_back({name, whole_number<std::int64_t>(name, std::string(item.substr(equals + 1)))});
    text.remove_prefix(std::min(item.size() + 1, text.size()));
  }
  return result;
}

void run(arguments const& given) {
  refuse_stream("IN", given.input, "read");
  if (!given.inplace) {
    refuse_stream("OUT", given.output, "written");
    refuse_foreign_suffix(given.output, given.raw);
  }
  file_options options;
  if (given.has_axes) options.axes = axes_of(given.axes);
  if (given.format) {
    options.format = file_format{*given.format, lengths_of(given.lengths), given.unpack, {}};
    if (given.out_shape) options.format->shape = shape_of(*given.out_shape, "--out-shape");
  }
  if (given.raw)
    options.raw = raw_array{shape_of(given.shape), given.type, bytes_of("--offset", given.offset, 0), byte_order_of(given),
                            is_fortran(given.order)};
  else if (!given.type.empty())
    options.type = element_type_named(given.type);
  if (!given.flip.empty()) options.flip = axes_of(given.flip, "--flip");
  if (!given.dtype.empty()) options.dtype = dtype_named(given.dtype);
  if (given.dtype.starts_with('>')) options.dtype_order = std::endian::big;
  options.alpha = given.alpha, options.conjugate = given.conjugate, options.saturate = given.saturate;
  if (given.memory) options.memory = bytes_of("--memory", *given.memory);
  options.processor = processor_of(given.device);
  refuse_missing_gpu(options.processor);

  std::error_code ignored;  // reading and writing report it
  bool const existed = std::filesystem::exists(given.output, ignored);
  auto const& result = given.inplace ? given.input : given.output;
  auto const left = result + (given.inplace ? " is half permuted, and the same command finishes it"
                              : existed     ? " is unchanged"
                                            : " is not written");
  watch_for_signals();
  auto const start = std::chrono::steady_clock::now();
  file_report report;
  {
    progress_bar bar;
    options.progress = [&](double share, std::int64_t bytes) {
      if (share < 1 || !given.inplace) stop_if_interrupted(left);
      bar.show(share, bytes);
    };
    report = given.inplace ? transpose_file_inplace(given.input, options) : transpose_file(given.input, given.output, options);
  }
  std::chrono::duration<double> const took = std::chrono::steady_clock::now() - start;
  fmt::print("{}\n", wrapped(fmt::format("{}: {}", result, describe(report, took.count())), 2));
}

void add_format(CLI::App& command, arguments& into) {
  constexpr auto kHeading = "Layouts with names";
  auto* const format = command
                           .add_option("--format", into.format,
                                       "Instead of --axes: the layout of OUT, such as\n"
                                       "block_scales_32x4x4. cornerturn info --formats lists\n"
                                       "them. What does not divide is padded with zeros")
                           ->type_name("NAME");
  for (auto const* other : {"--axes", "--flip", "--to", "--alpha", "--conj", "--inplace"})
    format->excludes(command.get_option(other));
  auto* const lengths =
      command.add_option("--lengths", into.lengths, "Lengths of axes of the format, e.g. x=8,c=2")->type_name("LIST");
  auto* const unpack = command.add_flag("--unpack", into.unpack, "IN has the format, and OUT has it no more");
  auto* const shape = command
                          .add_option("--out-shape", into.out_shape,
                                      "With --unpack: the shape of OUT in elements, without its\n"
                                      "padding. Default: with it")
                          ->type_name("SHAPE")
                          ->needs(unpack);
  for (auto* const each : {lengths, unpack}) each->needs(format);
  for (auto* const each : {format, lengths, unpack, shape}) each->group(kHeading);
}

}  // namespace

void add_transpose(CLI::App& app) {
  auto given = std::make_shared<arguments>();
  CLI::App* const command = app.add_subcommand("transpose", "Permute the axes of the array in a file");
  command->add_option("IN", given->input, "The .npy file to read: any fixed-size dtype, any rank")->required()->type_name("FILE");
  CLI::Option* const output =
      command->add_option("OUT", given->output, "The .npy file to write, in C order; may be IN itself")->type_name("FILE");
  CLI::Option* const axes = command->add_option("--axes", given->axes,
                                                "Axis i of OUT is axis LIST[i] of IN, e.g. 2,0,1;\n"
                                                "negative axes count from the end.\n"
                                                "Default: all axes reversed");
  axes->type_name("LIST");
  CLI::Option* const dtype = command->add_option("--to,--dtype", given->dtype,
                                                 "Type of OUT's elements, to which floats are rounded\n"
                                                 "or, to integers, truncated and limited:\n"
                                                 "float32, bfloat16, uint8, f8_e4m3fn, <f4 and others;\n"
                                                 ">f4 is big-endian, all others are little-endian;\n"
                                                 "default: that of IN. See docs/elements.md");
  dtype->type_name("TYPE");
  CLI::Option* const alpha = command->add_option_function<std::string>(
      "--alpha", [given](std::string const& text) { given->alpha = real_number("--alpha", text); },
      "Multiply each element by this number");
  alpha->type_name("NUMBER");
  CLI::Option* const conjugate = command->add_flag("--conj", given->conjugate, "Conjugate complex elements");
  CLI::Option* const saturate = command->add_flag("--saturate", given->saturate,
                                                  "With --to: numbers beyond the range of an 8-bit\n"
                                                  "floating-point type become its largest number, not NaN\n"
                                                  "or infinite");
  saturate->needs(dtype);
  for (auto* const each : {dtype, alpha, conjugate, saturate}) each->group(kOfChanges);
  CLI::Option* const inplace = command->add_flag("--inplace", given->inplace,
                                                 "Permute IN within itself, where no second file fits,\n"
                                                 "and change no elements. The file\n"
                                                 "IN.cornerturn-journal makes this safe: after a crash\n"
                                                 "the same command finishes it");
  inplace->excludes(output)->excludes(dtype)->excludes(alpha)->excludes(conjugate);
  command
      ->add_option("--flip", given->flip,
                   "Axes of IN that run backwards, e.g. 0 for rows from\nbottom to top; negative axes count from the end")
      ->type_name("LIST")
      ->excludes(inplace);
  add_format(*command, *given);
  command->add_option("--device", given->device, "auto, cpu or gpu; auto: the GPU if there is one with\nenough memory")
      ->type_name("NAME");
  add_threads(*command);
  command
      ->add_option(
          "--memory", given->memory,
          "Maximum memory for the array, e.g. 2GiB, 500MB;\nlarger files are moved in pieces. G and GiB are 2^30\n"
          "bytes, GB is 10^9; likewise K, M and T. Default: half\nof the available memory, at most 256MiB on the CPU and\n"
          "2GiB on a GPU")
      ->type_name("BYTES");
  CLI::Option* const raw = command->add_flag("--raw", given->raw,
                                             "IN and OUT have no header; OUT holds elements in C\n"
                                             "order; needs --shape and --type");
  CLI::Option* const shape =
      command->add_option("--shape", given->shape, "With --raw: shape of IN, e.g. 256x224x224x3 or 256,224");
  CLI::Option* const type =
      add_type(*command, given->type, "Type of the elements of a raw IN, or of a .npy file\nof ml_dtypes, e.g. bf16");
  shape->type_name("SHAPE")->needs(raw);
  type->type_name("TYPE");
  type->transform([given](std::string text) {  // before the transform that makes a name of it
    if (text.starts_with('>') || text.starts_with('<')) given->type_order = text.front();
    return text;
  });
  raw->needs(shape)->needs(type);
  command
      ->add_option("--offset", given->offset,
                   "With --raw: bytes before the array in IN, such as a\nheader; OUT gets no copy of them")
      ->type_name("BYTES")
      ->needs(raw);
  command
      ->add_option("--byteorder", given->byte_order,
                   "With --raw: big or little. Default: little, or that of\n--type, as in >f4. With --to the bytes are swapped")
      ->type_name("NAME")
      ->needs(raw);
  command->add_option("--order", given->order, "With --raw: C, or F for an IN in Fortran order")->type_name("NAME")->needs(raw);
  command->footer(
      "OUT is replaced atomically. With --inplace there is no OUT, and IN is half\n"
      "permuted until the command ends; see docs/files.md. Examples:\n"
      "  cornerturn transpose images.npy planes.npy --axes 0,3,1,2\n"
      "  cornerturn transpose big.npy --inplace\n"
      "  cornerturn transpose scales.npy tiles.npy --format block_scales_32x4x4\n"
      "  cornerturn transpose in.raw out.raw --raw --shape 1000x2000 --type f32");
  command->callback([given, axes, output] {
    if (!given->inplace && output->count() == 0) throw CLI::RequiredError("OUT");
    given->has_axes = axes->count() > 0;
    run(*given);
  });
}

}  // namespace cornerturn::cli
