#include "plan/sweep.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>

#include "cornerturn/error.hpp"

namespace cornerturn {
namespace {

std::string text_of(tile_shape const& tile) { return fmt::format("{}x{}", tile.rows, tile.cols); }

/// All plans of a rung for a dense matrix, the default tile first. Throws `error` if the rung cannot move the matrix.
std::vector<rung_plan> plans_of(rung kernel, std::int64_t rows, std::int64_t cols, int element_size, alignment const& aligned) {
  bool const straight = info_of(kernel).is_copy;
  std::vector<rung_plan> plans;
  auto const add = [&](job const& shape, auto const& suits) {
    auto const best = plan_rung(kernel, shape, element_size, aligned);
    for (auto const& tile : tiles_of(kernel, element_size, best.widths))
      if (suits(tile)) plans.push_back(with_tile(best, tile));
  };
  if (kernel == rung::copy) add({.rows = 1, .cols = rows * cols}, [](auto const& tile) { return tile.rows == 1; });
  add({.rows = rows, .cols = cols, .source_pitch = cols, .destination_pitch = straight ? cols : rows},
      [&](auto const& tile) { return kernel != rung::copy || tile.rows > 1; });
  return plans;
}

}  // namespace

bool tile_choice::takes(tile_shape const& tile) const {
  return all || std::ranges::any_of(sizes, [&](auto const& each) { return each.rows == tile.rows && each.cols == tile.cols; });
}

std::vector<ladder_entry> entries_of(rung kernel, std::int64_t rows, std::int64_t cols, int element_size,
                                     alignment const& aligned, tile_choice const& tiles) {
  ladder_row const unserved{.name = std::string(name_of(kernel))};
  std::vector<ladder_entry> entries;
  auto const refused = [&](std::string const& why) {
    entries = {{.row = unserved, .chosen = {}}};
    entries.front().row.reason = why;
    return entries;
  };

  std::vector<rung_plan> plans;
  try {
    plans = plans_of(kernel, rows, cols, element_size, aligned);
  } catch (error const& problem) {
    return refused(problem.what());
  }
  std::vector<std::string> names;
  for (auto const& each : plans) {
    if (std::ranges::find(names, text_of(each.tile)) == names.end()) names.push_back(text_of(each.tile));
    if (tiles.best_alone() ? !entries.empty() : !tiles.takes(each.tile)) continue;
    auto& row = entries.emplace_back(unserved, each).row;
    row.tile = text_of(each.tile);
    row.threads = each.tile.threads;
    row.tiles = each.tile.tiles;
    row.load_bytes = each.load_bytes();
    row.store_bytes = each.store_bytes();
  }
  return entries.empty() ? refused(fmt::format("its tiles are {}", fmt::join(names, ", "))) : entries;
}

}  // namespace cornerturn
