#pragma once

namespace cornerturn {

/// Raster order: along which rows consecutive blocks take their tiles.
enum class raster { source_rows, destination_rows };

/// A tile of the source, and how blocks process it.
struct tile_shape {
  int rows = 0, cols = 0;  ///< elements
  int threads = 0;         ///< threads of a block
  int blocks = 1;          ///< blocks that an SM should hold at once (the second argument of __launch_bounds__)
  int tiles = 1;           ///< tiles that a block processes one after another
  bool operator==(tile_shape const&) const = default;
};

}  // namespace cornerturn
