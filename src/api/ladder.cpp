#include "api/ladder.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include "api/memory.hpp"
#include "base/refuse.hpp"
#include "cornerturn/ladder.hpp"
#include "cornerturn/text.hpp"
#include "engine/cpu/ladder/run_ladder.hpp"
#include "engine/cpu/ladder/rungs.hpp"
#include "engine/gpu/gpu.hpp"
#include "engine/gpu/ladder.hpp"
#include "engine/host/ladder.hpp"

namespace cornerturn {

std::vector<std::string> rung_names(processor_kind of) {
  std::vector<std::string> names;
  auto const take = [&](auto const& rungs) {
    for (auto const& each : rungs) names.emplace_back(each.name);
  };
  of == processor_kind::cpu ? take(cpu::kCpuRungs) : take(kRungs);
  return names;
}

rung kernel_named(std::string_view name, std::string_view argument) {
  if (auto const id = rung_named(name)) return *id;
  refuse(argument, fmt::format("'{}'", name),
         fmt::format("one of the {} rungs of the ladder{}", kRungs.size(), did_you_mean(name, rung_names())));
}

bool ladder_run::all_right() const {
  return std::ranges::none_of(rungs, [](auto const& row) { return row.result == ladder_row::outcome::wrong; });
}

namespace {

tile_choice choice_of(std::vector<std::string> const& tiles) {
  tile_choice choice;
  for (auto const& text : tiles) {
    auto const* const end = text.data() + text.size();
    tile_choice::size size{};
    auto const [cross, bad_rows] = std::from_chars(text.data(), end, size.rows);
    bool const both = bad_rows == std::errc() && cross != end && *cross == 'x';
    auto const [last, bad_cols] = std::from_chars(both ? cross + 1 : end, end, size.cols);
    if (text == "all")
      choice.all = true;
    else if (both && bad_cols == std::errc() && last == end && size.rows > 0 && size.cols > 0)
      choice.sizes.push_back(size);
    else
      refuse("tiles", fmt::format("'{}'", text), "all, or rows x columns such as 64x64, with commas between them");
  }
  return choice;
}

/// The names of the options' kernels, without repetitions and in their order; all rungs if the options name none.
std::vector<std::string> kernels_of(ladder_options const& options) {
  std::vector<std::string> names;
  for (auto const& name : options.kernels.empty() ? rung_names(options.processor) : options.kernels)
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  return names;
}

/// Like `kernel_named`, for the CPU's ladder.
cpu::cpu_rung cpu_rung_named(std::string_view name) {
  for (auto const& each : cpu::kCpuRungs)
    if (each.name == name) return each;
  refuse("kernel", fmt::format("'{}'", name),
         fmt::format("one of {} on the CPU", fmt::join(rung_names(processor_kind::cpu), ", ")));
}

/// The rungs that the options name; find(name) returns the rung of a name.
template <class Find>
auto rungs_of(ladder_options const& options, Find const& find) {
  std::vector<decltype(find(std::string_view()))> rungs;
  for (auto const& name : kernels_of(options)) rungs.push_back(find(name));
  return rungs;
}

}  // namespace

ladder_run run_ladder(ladder_options const& options, std::function<void(std::string_view)> const& progress) {
  int const element_size = type_size(options.type);
  if (options.rows < 1) refuse("rows", options.rows, "1 or more");
  if (options.cols < 1) refuse("cols", options.cols, "1 or more");
  if (options.rows > std::numeric_limits<std::int64_t>::max() / element_size / options.cols)
    refuse("rows x cols", fmt::format("{} x {} of {}", options.rows, options.cols, count_text(element_size, "byte")),
           "at most 2^63 - 1 bytes");
  if (options.repeats < 1) refuse("repeats", options.repeats, "1 or more");

  auto const tiles = choice_of(options.tiles);
  if (options.processor == processor_kind::cpu) {
    if (!options.tiles.empty()) refuse("tiles", fmt::format("'{}'", fmt::join(options.tiles, ",")), "left out on the CPU");
    return cpu::run_ladder(options, rungs_of(options, cpu_rung_named), progress);
  }
  auto const rungs = rungs_of(options, [](std::string_view name) { return kernel_named(name); });
  refuse_missing_gpu(options.processor);
  return gpu::why_unavailable().empty() ? gpu::run_ladder(options, rungs, tiles, progress)
                                        : host::run_ladder(options, rungs, tiles, progress);
}

}  // namespace cornerturn
