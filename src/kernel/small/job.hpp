#pragma once

#include <cstdint>

#include "tile/fast_divmod.hpp"
#include "tile/tile_shape.hpp"

namespace cornerturn {

/// What the small program is asked to move: matrices whose rows are whole aligned 16-byte vectors on both sides. Source (r, c)
/// becomes destination (c, r). Counted in elements.
struct small_job {
  int rows = 0, cols = 0;
  int source_pitch = 0, destination_pitch = 0;
  std::int64_t source_batch_stride = 0, destination_batch_stride = 0;
  fast_divmod down{1}, across{1};  ///< tiles along the rows, which come first, and along the columns
};

/// The tiles that are compiled for an element size of 1 to 8 bytes, the smaller one first; of single bytes there is one.
constexpr int small_tiles_of(int element_size) { return element_size == 1 ? 1 : 2; }
constexpr tile_shape small_tile_of(int element_size, int which) {
  constexpr tile_shape of_bytes[] = {{64, 64, 128}}, of_pairs[] = {{64, 32, 128}, {64, 64, 128}},
                       of_words[] = {{32, 32, 128}, {32, 64, 256}}, of_doubles[] = {{16, 32, 128}, {32, 32, 256}};
  return (element_size == 1 ? of_bytes : element_size == 2 ? of_pairs : element_size == 4 ? of_words : of_doubles)[which];
}

}  // namespace cornerturn
