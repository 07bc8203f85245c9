#pragma once

#include <vector>

#include "cornerturn/explain.hpp"
#include "tile/cut.hpp"

namespace cornerturn::host {

/// A program's tile in shared memory, `first` elements after the begin of the block's shared memory.
template <class Program, class Layout>
tile_map tile_map_of(Layout const& layout, int first) {
  tile_map tile{.rows = Program::kRows, .cols = Program::kCols, .offsets = {}, .unswizzled = {}, .threads = {}};
  for (int r = 0; r < tile.rows; ++r)
    for (int c = 0; c < tile.cols; ++c) {
      tile.offsets.push_back(first + int(layout(r, c)));
      if constexpr (cute::is_composed_layout<Layout>::value) tile.unswizzled.push_back(first + int(layout.layout_b()(r, c)));
    }
  return tile;
}

/// The tiles that a program has in shared memory, from the layouts that are its members.
template <class Program>
std::vector<tile_map> shared_tiles_of() {
  if constexpr (requires { typename Program::shared_layout; })
    return {tile_map_of<Program>(typename Program::shared_layout{}, 0)};
  else if constexpr (requires { typename Program::destination_layout; })
    return {tile_map_of<Program>(typename Program::source_layout{}, 0),
            tile_map_of<Program>(typename Program::destination_layout{}, Program::kStages * Program::kElements)};
  else
    return {};
}

}  // namespace cornerturn::host
