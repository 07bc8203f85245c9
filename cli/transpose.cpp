#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <string>
#include <vector>

#include "commands.hpp"
#include "cornerturn/file.hpp"
#include "interrupt.hpp"
#include "lists.hpp"
#include "options.hpp"
#include "progress.hpp"

namespace cornerturn::cli {
namespace {

struct arguments {
  std::string input, output, axes, device = "auto";
  bool has_axes = false;
};

std::string describe(file_report const& report) {
  bool const structured = report.dtype.starts_with('[') || report.dtype.starts_with('(');
  std::string text = fmt::format("({}{}) of {}, {} bytes", fmt::join(report.shape, ", "), report.shape.size() == 1 ? "," : "",
                                 structured ? "a structured dtype" : report.dtype, report.bytes);
  // Every byte is read once and written once.
  double const gbs = 2e-9 * static_cast<double>(report.bytes) / report.seconds;
  if (report.bytes > 0) text += fmt::format(", {:.2f} GB/s on the {}", gbs, report.processor);
  return text;
}

void run(arguments const& given) {
  file_options options;
  if (given.has_axes) options.axes = axes_of(given.axes);
  options.processor = processor_of(given.device);

  watch_for_signals();
  file_report report;
  {
    progress_bar bar;
    options.progress = [&](double share) {
      stop_if_interrupted();
      bar.show(share);
    };
    report = transpose_file(given.input, given.output, options);
  }
  fmt::print("{}: {}\n", given.output, describe(report));
}

}  // namespace

void add_transpose(CLI::App& app) {
  auto given = std::make_shared<arguments>();
  CLI::App* const command = app.add_subcommand("transpose", "Permute the axes of the array in a .npy file");
  command->add_option("IN", given->input, "The .npy file to read: any fixed-size dtype, any rank")->required();
  command->add_option("OUT", given->output, "The .npy file to write, in C order; may be IN itself")->required();
  CLI::Option* const axes = command->add_option("--axes", given->axes,
                                                "Axis i of OUT is axis LIST[i] of IN, e.g. 2,0,1;\n"
                                                "negative ones count from the end.\n"
                                                "Default: all axes reversed");
  axes->type_name("LIST");
  command->add_option("--device", given->device, "auto, cpu or gpu. auto takes the GPU where there is\none with room for it")
      ->type_name("NAME");
  command->callback([given, axes] {
    given->has_axes = axes->count() > 0;
    run(*given);
  });
}

}  // namespace cornerturn::cli
