#pragma once

#include <array>
#include <cstdint>

#include "tile/decoded_index.hpp"
#include "tile/radix_digit.hpp"
#include "tile/tile_shape.hpp"

namespace cornerturn {

/// A problem for the unaligned kernel: matrices of 1- or 2-byte elements whose rows have any alignment. It writes source (r, c)
/// to destination (c, r). The rows are modes that are contiguous in the destination; the columns are modes that are contiguous in
/// the source.
struct unaligned_job {
  static constexpr int kMostDigits = 48;
  std::array<radix_digit, kMostDigits> digits;
  digit_range tile_digits;                       ///< digits of a tile's index; `vector_index` counts rows, `run_index` columns
  digit_range row_digits;                        ///< digits of a row's index, with offsets in the source
  digit_range col_digits;                        ///< digits of a column's index, with offsets in the destination
  int tiles = 0;                                 ///< one per block
  int rows = 0, cols = 0;                        ///< extents of a matrix
  int tile_rows = 0;                             ///< rows that a tile writes, whole 16-byte units
  int tile_cols = 0;                             ///< columns that a tile writes
  std::int64_t source_low = 0, source_high = 0;  ///< bytes from the source's pointer to its first byte, and past its last
};

/// The tile of a block.
struct unaligned_place {
  int first_row, first_col;  ///< in the matrix
  int rows_left;             ///< rows from the tile's first one to the end of the matrix
  int rows_read;             ///< rows that the tile reads: up to one 16-byte unit of elements more than it writes
  int cols;                  ///< columns of the tile
};

/// `at` is the decoded index of a block, and a 16-byte unit has `unit_elements` elements.
CORNERTURN_HOST_DEVICE unaligned_place block_place(unaligned_job const& job, tile::decoded_index<std::int64_t> const& at,
                                                   int unit_elements) {
  auto const least = [](int a, int b) { return a < b ? a : b; };
  int const first_row = int(at.vector_index), first_col = int(at.run_index), rows_left = job.rows - first_row;
  return {first_row, first_col, rows_left, least(rows_left, job.tile_rows + unit_elements),
          least(job.cols - first_col, job.tile_cols)};
}

/// The compiled tiles for elements of 1 or 2 bytes. The first is the best found on an H200 (docs/notebook/gpu.md).
constexpr int unaligned_tiles(int element_size) { return element_size == 1 ? 4 : 3; }
constexpr tile_shape unaligned_tile_of(int element_size, int which) {
  constexpr tile_shape of_bytes[] = {{256, 128, 544, 3}, {128, 256, 576, 3}, {64, 512, 640, 3}, {512, 64, 544, 3}},
                       of_pairs[] = {{128, 128, 544, 3}, {64, 256, 576, 3}, {256, 64, 544, 3}};
  return element_size == 1 ? of_bytes[which] : of_pairs[which];
}

}  // namespace cornerturn
