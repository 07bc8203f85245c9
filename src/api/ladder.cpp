#include "cornerturn/ladder.hpp"

#include <algorithm>
#include <charconv>
#include <limits>

#include "api/kernels.hpp"
#include "engine/gpu/gpu.hpp"
#include "engine/gpu/ladder.hpp"
#include "engine/host/ladder.hpp"
#include "problem/fail.hpp"

namespace cornerturn {

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

}  // namespace

ladder_run run_ladder(ladder_options const& options, std::function<void(std::string_view)> const& progress) {
  int const element_size = type_size(options.type);
  if (options.rows < 1) refuse("rows", options.rows, "1 or more");
  if (options.cols < 1) refuse("cols", options.cols, "1 or more");
  if (options.rows > std::numeric_limits<std::int64_t>::max() / element_size / options.cols)
    refuse("rows x cols", fmt::format("{} x {} of {} bytes", options.rows, options.cols, element_size), "at most 2^63 - 1 bytes");
  if (options.repeats < 1) refuse("repeats", options.repeats, "1 or more");

  std::vector<rung> rungs;
  for (auto const& name : options.kernels)
    if (auto const id = kernel_named(name); std::ranges::find(rungs, id) == rungs.end()) rungs.push_back(id);
  if (rungs.empty())
    for (auto const& each : kRungs) rungs.push_back(each.id);
  auto const tiles = choice_of(options.tiles);
  return gpu::why_unavailable().empty() ? gpu::climb(options, rungs, tiles, progress)
                                        : host::climb(options, rungs, tiles, progress);
}

}  // namespace cornerturn
