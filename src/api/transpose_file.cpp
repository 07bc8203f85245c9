#include "api/transpose_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>

#include "api/memory.hpp"
#include "base/refuse.hpp"
#include "cpu/memory.hpp"
#include "engine/file/move_file.hpp"
#include "engine/file/piece_in_memory.hpp"
#include "file/array.hpp"
#include "file/dtype.hpp"
#include "file/format_move.hpp"
#include "file/input.hpp"
#include "file/journal.hpp"
#include "file/npy.hpp"
#include "file/replace.hpp"
#include "problem/canonical.hpp"
#include "problem/permuted.hpp"
#include "problem/validate.hpp"

namespace cornerturn {
namespace {

/// The operation that the options ask for; nothing if elements keep their bits. `name` is the name of the input's type.
std::optional<element_operation> operation_of(file_options const& options, npy_header const& header, std::string_view name) {
  auto const& source = header.type;
  if (!changes_elements(options)) return {};
  if (!source)
    refuse("the input's dtype", name,
           is_void(name)
               ? fmt::format("named by a type, e.g. {}, because elements change", name.ends_with('1') ? "f8_e4m3fn" : "bf16")
               : "that of numbers, because elements change");
  auto const destination = options.dtype.value_or(*source);
  if (is_complex(*source) && !is_complex(destination))
    refuse("dtype", name_of(destination), fmt::format("complex, because the input's is {}", name));
  return element_operation{.source = *source,
                           .destination = destination,
                           .alpha = options.alpha,
                           .conjugate = options.conjugate,
                           .saturate = options.saturate,
                           .source_swapped = header.swapped,
                           .destination_swapped = options.dtype ? options.dtype_order != std::endian::native : header.swapped};
}

/// The problem that reads the array of a file, some modes backwards, and writes it in the order of the axes.
problem problem_of(npy_header const& header, std::vector<std::int64_t> const& axes, std::vector<std::int64_t> const& flipped,
                   elements const& element) {
  auto strides = dense_strides(header.shape, header.order);
  std::int64_t first = 0;
  for (auto const mode : flipped) {
    auto const i = std::size_t(mode);
    first += std::max<std::int64_t>(header.shape[i] - 1, 0) * strides[i];
    strides[i] = -strides[i];
  }
  auto result = permutation(header.shape, strides, axes, element);
  result.source_offset = first;
  return result;
}

std::int64_t checked_memory(std::int64_t asked, problem const& p, file_limits const& limits) {
  auto const least = least_memory(p, limits);
  if (asked < least) refuse("memory", asked, fmt::format("at least {} bytes for this array", least));
  return asked;
}

/// Throws `error` if a memory is too small for an array that is moved to a format, or back, as a whole. A memory of 0 means all
/// that is available.
void expect_whole_fits(format_move const& by, npy_header const& header, std::int64_t memory) {
  auto const most = memory ? memory : cpu::available_memory();
  if (header.bytes > most - by.result_bytes)
    refuse("memory", most,
           fmt::format("at least {} bytes, because what is padded, cropped, packed or swizzled is moved as a whole",
                       std::uint64_t(header.bytes) + std::uint64_t(by.result_bytes)));
}

/// Moves an array to a format, or back, as a whole.
moved_file move_to_format(format_move const& by, npy_header const& header, file_sides const& files) {
  std::vector<std::byte> const zero(std::size_t(header.element_size), std::byte(0));
  auto options = by.options;
  if (by.call.padded) options.pad = zero.data();
  auto const move = [&](void const* source, void* destination) {
    rearrange(source, destination, by.call.pattern, by.shape, header.element_size, by.call.axis_lengths(), options);
  };
  return {move_whole(files, header.bytes, by.result_bytes, move), options.processor == processor_kind::gpu ? "gpu" : "cpu"};
}

/// Throws `error` if a permutation within this file was stopped. Only its journal shows that a raw file is half permuted. The
/// journal is beside the target of symbolic links.
void refuse_half_permuted(std::filesystem::path const& file) {
  auto const name = journal::name_for(follow_links(file));
  std::error_code ignored;  // if the folder cannot be searched, a call in place reports it
  if (std::filesystem::exists(name, ignored))
    throw error(error_kind::file,
                fmt::format("{} may be half permuted: cornerturn transpose --inplace was stopped, and the same call "
                            "finishes it; if the file is whole, delete {}",
                            file.string(), name.string()));
}

}  // namespace

file_report transpose_file(std::filesystem::path const& input, std::filesystem::path const& output, file_options const& options) {
  return transpose_file(input, output, options, {});
}

file_report transpose_file(std::filesystem::path const& input, std::filesystem::path const& output, file_options const& options,
                           file_limits const& limits) {
  input_file const file(input);
  file.lock();
  npy_header const header = header_given(options, file);
  for (auto const& each : {input, output}) refuse_half_permuted(each);
  auto const format = options.format ? std::optional(format_move_of(header, options)) : std::nullopt;
  std::vector<std::int64_t> const axes = axes_given(options, header.shape.size());
  auto const flipped = flipped_modes(options, header.shape.size());
  refuse_missing_gpu(options.processor);

  auto const name = options.raw ? options.raw->type : dtype_name(header);
  auto const operation = operation_of(options, header, name);
  auto written = header;  // the elements of the result
  if (operation) written.element_size = size_of(operation->destination);
  bool const has_other_type =
      operation && (operation->destination != operation->source || operation->destination_swapped != operation->source_swapped);
  if (has_other_type) written.descr = fmt::format("'{}'", code_of_type(operation->destination, operation->destination_swapped));

  file_report report{.shape = {}, .dtype = dtype_name(written), .processor = "cpu"};
  if (options.raw) report.dtype = operation ? name_of(operation->destination) : name;
  if (format)
    report.shape = format->result_shape;
  else
    for (std::int64_t axis : axes) report.shape.push_back(header.shape[axis]);
  std::string const preamble = options.raw ? "" : npy_preamble(written, report.shape);

  bool const is_whole = format && !format->is_strided();
  problem p;
  auto memory = options.memory;
  if (is_whole) {
    report.bytes = format->result_bytes;
    if (report.bytes > 0) expect_whole_fits(*format, header, memory);
  } else if (operation || header.bytes > 0) {
    auto const given = format
                           ? format->strided_problem(header.element_size)
                           : problem_of(header, axes, flipped, operation ? elements(*operation) : elements(header.element_size));
    report.bytes = destination_range(given).high;
    if (report.bytes > 0) {
      p = canonical(given);
      memory = memory ? checked_memory(memory, p, limits) : usual_memory(p, options.processor, limits);
    }
  }
  report.moved_bytes = report.bytes;
  auto const tell = [&](double share) {
    if (options.progress) options.progress(share, report.bytes);
  };

  // Created before anything is read, so that a read-only folder or a full disk is reported at once.
  replacement result(output);
  result.reserve(std::ssize(preamble) + report.bytes);
  result.write(0, preamble.data(), std::ssize(preamble));
  if (report.bytes > 0) {
    std::int64_t done = 0;
    std::function<void(std::int64_t)> const count = [&](std::int64_t bytes) {
      done += bytes;
      tell(double(done) / double(header.bytes + 2 * report.bytes));  // each byte is read, moved and written
    };
    file_sides const files{file, header.data_offset, result, std::ssize(preamble), limits, count};
    auto const moved = is_whole ? move_to_format(*format, header, files) : move_file(p, files, options.processor, memory);
    report.seconds = moved.seconds;
    report.processor = moved.processor;
  }
  result.commit([&] { tell(1); });
  return report;
}

}  // namespace cornerturn
