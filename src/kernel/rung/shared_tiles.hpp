#pragma once

#include <vector>

#include "cornerturn/explain.hpp"
#include "tile/cut.hpp"

namespace cornerturn::host {

/// A tile of shared memory, `first` elements after the start of the block's shared memory. `at` gives the offset of an element
/// within the tile, and `unswizzled` the same without the swizzle, or is null.
inline tile_map tile_map_of(int rows, int cols, int first, int (*at)(int, int), int (*unswizzled)(int, int)) {
  tile_map tile{.rows = rows, .cols = cols, .offsets = {}, .unswizzled = {}, .threads = {}};
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < cols; ++c) {
      tile.offsets.push_back(first + at(r, c));
      if (unswizzled) tile.unswizzled.push_back(first + unswizzled(r, c));
    }
  return tile;
}

template <class Layout>
tile_map tile_map_of(int rows, int cols, int first) {
  int (*unswizzled)(int, int) = nullptr;
  if constexpr (cute::is_composed_layout<Layout>::value) unswizzled = [](int r, int c) { return int(Layout{}.layout_b()(r, c)); };
  return tile_map_of(
      rows, cols, first, [](int r, int c) { return int(Layout{}(r, c)); }, unswizzled);
}

/// The tiles that a program has in shared memory, from the layouts that are its members.
template <class Program>
std::vector<tile_map> shared_tiles_of() {
  constexpr int kRows = Program::kRows, kCols = Program::kCols;
  if constexpr (requires { typename Program::shared_layout; })
    return {tile_map_of<typename Program::shared_layout>(kRows, kCols, 0)};
  else if constexpr (requires { typename Program::destination_layout; })
    return {tile_map_of<typename Program::source_layout>(kRows, kCols, 0),
            tile_map_of<typename Program::destination_layout>(kRows, kCols, Program::kStages * Program::kElements)};
  else
    return {};
}

}  // namespace cornerturn::host
