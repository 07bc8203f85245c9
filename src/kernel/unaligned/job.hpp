#pragma once

#include <array>
#include <cstdint>

#include "tile/radix_digit.hpp"
#include "tile/tile_shape.hpp"

namespace cornerturn {

/// What the unaligned program is asked to move: matrices of elements of 1 or 2 bytes whose rows begin anywhere. Source (r, c)
/// becomes destination (c, r). Its rows are modes that follow each other in the destination, its columns such that do in the
/// source.
struct unaligned_job {
  static constexpr int kMostDigits = 48;
  std::array<radix_digit, kMostDigits> digits;
  digit_range tiles;  ///< which tile; `of_vectors` counts rows, `of_run` columns
  digit_range rows;   ///< which row: bytes of the source
  digit_range cols;   ///< which column: bytes of the destination
  int count = 0;      ///< of tiles
  int row_count = 0, col_count = 0;
  int tile_rows = 0, tile_cols = 0;              ///< rows in whole units
  std::int64_t source_low = 0, source_high = 0;  ///< bytes from the source's pointer: the first read, and past the last
};

/// The tiles that are compiled for an element size of 1 or 2 bytes, the best found on an H200 first (docs/performance.md).
constexpr int unaligned_tiles(int element_size) { return element_size == 1 ? 4 : 3; }
constexpr tile_shape unaligned_tile_of(int element_size, int which) {
  constexpr tile_shape of_bytes[] = {{256, 128, 544, 3}, {128, 256, 576, 3}, {64, 512, 640, 3}, {512, 64, 544, 3}},
                       of_pairs[] = {{128, 128, 544, 3}, {64, 256, 576, 3}, {256, 64, 544, 3}};
  return element_size == 1 ? of_bytes[which] : of_pairs[which];
}

}  // namespace cornerturn
