#pragma once

#include <cstdint>

#include "tile/fast_divmod.hpp"
#include "tile/tile_shape.hpp"

namespace cornerturn {

/// A problem for the small kernel: matrices whose rows are whole aligned 16-byte vectors on both sides. It writes source (r, c)
/// to destination (c, r). All members count elements unless their comment says otherwise.
struct small_job {
  int rows = 0, cols = 0;
  int source_pitch = 0, destination_pitch = 0;
  std::int64_t source_batch_stride = 0, destination_batch_stride = 0;
  fast_divmod tiles_down{1}, tiles_across{1};  ///< tiles along the rows, whose index is the fast one, and along the columns
};

/// The compiled tiles for elements of 1 to 8 bytes, the smaller one first. Single bytes have one tile.
constexpr int small_tiles_of(int element_size) { return element_size == 1 ? 1 : 2; }
constexpr tile_shape small_tile_of(int element_size, int which) {
  constexpr tile_shape of_bytes[] = {{64, 64, 128}}, of_pairs[] = {{64, 32, 128}, {64, 64, 128}},
                       of_words[] = {{32, 32, 128}, {32, 64, 256}}, of_doubles[] = {{16, 32, 128}, {32, 32, 256}};
  return (element_size == 1 ? of_bytes : element_size == 2 ? of_pairs : element_size == 4 ? of_words : of_doubles)[which];
}

}  // namespace cornerturn
