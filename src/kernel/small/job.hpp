#pragma once

#include <cstdint>

#include "block/host_device.hpp"
#include "tile/fast_divmod.hpp"
#include "tile/tile_shape.hpp"

namespace cornerturn {

/// A problem for the small kernel: matrices whose rows are whole aligned 16-byte vectors on both sides, or any matrices, element
/// by element. It writes source (r, c) to destination (c, r). All members count elements unless their comment says otherwise.
struct small_job {
  int rows = 0, cols = 0;
  int source_pitch = 0, destination_pitch = 0;
  std::int64_t source_batch_stride = 0, destination_batch_stride = 0;
  fast_divmod tiles_down{1}, tiles_across{1};  ///< tiles along the rows, whose index is the fast one, and along the columns
};

/// The tile of a block. Rows and columns count elements.
struct small_place {
  int matrix;                ///< index in the batch
  int first_row, first_col;  ///< in the matrix
  int rows, cols;            ///< from the tile's first element to the end of the matrix

  /// Elements from the first matrix to the tile.
  CORNERTURN_HOST_DEVICE std::int64_t source(small_job const& job) const {
    return matrix * job.source_batch_stride + std::int64_t(first_row) * job.source_pitch + first_col;
  }
  CORNERTURN_HOST_DEVICE std::int64_t destination(small_job const& job) const {
    return matrix * job.destination_batch_stride + std::int64_t(first_col) * job.destination_pitch + first_row;
  }
};

CORNERTURN_HOST_DEVICE small_place block_place(small_job const& job, int tile_rows, int tile_cols, int index) {
  int matrix, row, col;
  job.tiles_down(matrix, row, index);
  job.tiles_across(matrix, col, matrix);
  int const first_row = row * tile_rows, first_col = col * tile_cols;
  return {matrix, first_row, first_col, job.rows - first_row, job.cols - first_col};
}

/// The tiles that are moved in 16-byte vectors, the smaller one first: none for 16-byte elements, one for bytes.
constexpr int small_vector_tiles_of(int element_size) { return element_size == 16 ? 0 : element_size == 1 ? 1 : 2; }
/// All compiled tiles. The last one is moved element by element.
constexpr int small_tiles_of(int element_size) { return small_vector_tiles_of(element_size) + 1; }
constexpr tile_shape small_tile_of(int element_size, int which) {
  constexpr tile_shape of_bytes[] = {{64, 64, 128}}, of_pairs[] = {{64, 32, 128}, {64, 64, 128}},
                       of_words[] = {{32, 32, 128}, {32, 64, 256}}, of_doubles[] = {{16, 32, 128}, {32, 32, 256}};
  if (which == small_vector_tiles_of(element_size)) return {32, 32, 256};
  return (element_size == 1 ? of_bytes : element_size == 2 ? of_pairs : element_size == 4 ? of_words : of_doubles)[which];
}
/// Elements of an access to global memory.
constexpr int small_vector_of(int element_size, int which) {
  return which < small_vector_tiles_of(element_size) ? 16 / element_size : 1;
}

}  // namespace cornerturn
