#pragma once

namespace cornerturn {

/// The part of the source that one block moves, with how many threads; how many such blocks a multiprocessor should hold; and
/// how many such tiles a block moves one after another.
struct tile_shape {
  int rows = 0, cols = 0, threads = 0, blocks = 1, tiles = 1;
  bool operator==(tile_shape const&) const = default;
};

}  // namespace cornerturn
