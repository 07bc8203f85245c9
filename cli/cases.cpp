#include "cases.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <numeric>
#include <system_error>
#include <tuple>

#include "cornerturn/error.hpp"
#include "lists.hpp"
#include "options.hpp"
#include "types.hpp"

namespace cornerturn::cli {

std::string permutation_case::name() const {
  auto const to = change.to ? fmt::format(" to {}", name_of(*change.to)) : "";
  if (shape.empty()) return fmt::format("one {}{}{}", type, to, change.name());
  return fmt::format("{} {}{} by {}{}", fmt::join(shape, "x"), type, to, fmt::join(axes, ","), change.name());
}

double permutation_case::source_bytes() const {
  return std::accumulate(shape.begin(), shape.end(), double(type_size(type)), std::multiplies());
}

double permutation_case::read_bytes() const { return source_bytes() + (change.beta != 0 ? written_bytes() : 0); }

double permutation_case::written_bytes() const {
  return change.to ? source_bytes() / type_size(type) * size_of(*change.to) : source_bytes();
}

permutation_case case_of(std::string const& shape, std::optional<std::string> const& axes, std::string const& type) {
  permutation_case result{shape_of(shape), {}, type};
  if (axes) {
    result.axes = axes_of(*axes);
  } else {
    result.axes.resize(result.shape.size());
    std::iota(result.axes.rbegin(), result.axes.rend(), 0);
  }
  return result;
}

permutation_case case_arguments::parsed() const {
  auto result = case_of(shape, axes_given->count() > 0 ? std::optional(axes) : std::nullopt, type);
  result.change = change;
  return result;
}

CLI::Option* add_case(CLI::App& command, case_arguments& into, bool only_estimates) {
  auto* const shape = command.add_option("SHAPE", into.shape, "Extents of the array, e.g. 256x224x224x3 or 256,224");
  shape->type_name("");
  into.axes_given = command.add_option("--axes", into.axes,
                                       "Axis i of the result is axis LIST[i], e.g. 0,3,1,2;\n"
                                       "negative axes count from the end.\n"
                                       "Default: all axes reversed");
  into.axes_given->type_name("LIST");
  add_type(command, into.type);
  command
      .add_option_function<std::string>(
          "--device",
          [&into, only_estimates](std::string const& name) {
            bool const is_h200 = only_estimates && name == "h200";
            into.estimates = is_h200 ? estimated_gpu::h200 : estimated_gpu::here;
            into.options.processor = is_h200 ? processor_kind::gpu : processor_of(name, only_estimates);
          },
          only_estimates ? "auto, cpu, gpu or h200; auto: the GPU if there is one,\n"
                           "else the CPU; h200: an H200, which need not be there"
                         : "auto, cpu or gpu; auto: the GPU if there is one, else\nthe CPU")
      ->type_name("NAME");
  add_threads(command);
  add_number(command, "--source-align", into.options.source_alignment, "Alignment of the source in bytes, a power of two");
  add_number(command, "--destination-align", into.options.destination_alignment, "Alignment of the destination in bytes");
  add_change(command, into.change, kOfChanges);
  return shape;
}

std::vector<permutation_case> cases_in(std::string const& path) {
  auto const expect = [&](bool is_read, int cause) {
    if (!is_read) throw error(error_kind::file, fmt::format("{}: cannot be read: {}", path, std::strerror(cause)));
  };
  std::error_code ignored;
  expect(!std::filesystem::is_directory(path, ignored), EISDIR);  // a folder can be opened
  std::ifstream file(path);
  expect(bool(file), errno);
  auto const json = nlohmann::json::parse(file, nullptr, false);
  constexpr std::string_view kForm = "a list of [shape, axes, type], e.g. [[[256, 3], [1, 0], \"u8\"]]";
  if (!json.is_array()) throw error(error_kind::file, fmt::format("{}: it must be JSON, {}", path, kForm));
  std::vector<permutation_case> cases;
  for (auto const& each : json) {
    auto const wrong = [&] {
      return error(error_kind::file,
                   fmt::format("{}: case {} is {}; the file must be {}", path, cases.size() + 1, each.dump(), kForm));
    };
    if (each.size() != 3) throw wrong();
    try {
      auto const [shape, axes, type] = each.get<std::tuple<std::vector<std::int64_t>, std::vector<std::int64_t>, std::string>>();
      cases.push_back({shape, axes, type});
    } catch (nlohmann::json::exception const&) {
      throw wrong();
    }
  }
  return cases;
}

}  // namespace cornerturn::cli
