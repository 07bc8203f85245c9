#pragma once

#include <span>

#include "block/grid.hpp"
#include "block/host_device.hpp"
#include "tile/tile_shape.hpp"

namespace cornerturn {

/// A problem for the small kernel: matrices of any sides and alignment. It writes source (r, c) to destination (c, r). All
/// members but the grid count elements. They have 32 bits, as have all offsets, and the kernel divides nothing, because a launch
/// of few blocks waits for its parameters and for the first addresses.
struct small_job {
  int rows = 0, cols = 0;
  int source_pitch = 0, destination_pitch = 0;
  int source_batch_stride = 0, destination_batch_stride = 0;
  grid_shape tiles;  ///< tiles along the rows and along the columns, and matrices
};

/// The tile of a block. Rows and columns count elements.
struct small_place {
  int matrix;                ///< index in the batch
  int first_row, first_col;  ///< in the matrix
  int rows, cols;            ///< from the tile's first element to the end of the matrix

  /// Elements from the first matrix to the tile.
  CORNERTURN_HOST_DEVICE int source(small_job const& job) const {
    return matrix * job.source_batch_stride + first_row * job.source_pitch + first_col;
  }
  CORNERTURN_HOST_DEVICE int destination(small_job const& job) const {
    return matrix * job.destination_batch_stride + first_col * job.destination_pitch + first_row;
  }
};

CORNERTURN_HOST_DEVICE small_place block_place(small_job const& job, int tile_rows, int tile_cols, grid_index const& index) {
  int const first_row = index.x * tile_rows, first_col = index.y * tile_cols;
  return {index.z, first_row, first_col, job.rows - first_row, job.cols - first_col};
}

/// A compiled form of the small kernel: its tile, and the elements of a load from global memory and of a store to it.
struct small_form {
  tile_shape tile;
  int load = 1, store = 1;
};

namespace small_forms {
inline constexpr tile_shape kFew{32, 32, 256}, kMany{32, 32, 128};  ///< for few blocks, and for many
inline constexpr small_form kOfBytes[] = {{{64, 64, 256}, 8, 8}, {{32, 64, 256}, 1, 4}, {kFew}, {kMany}},
                            kOfPairs[] = {{kMany, 4, 4}, {{64, 64, 256}, 4, 4}, {{64, 32, 256}, 1, 2}, {kFew}, {kMany}},
                            kOfWords[] = {{kMany, 2, 2}, {kFew}, {kMany}}, kOfLarger[] = {{kFew}, {kMany}};
}  // namespace small_forms

/// The forms for elements of one size: vectors of 8 bytes, words of 4 bytes in the destination alone, then single elements.
constexpr std::span<small_form const> small_forms_of(int element_size) {
  using namespace small_forms;
  using forms = std::span<small_form const>;
  return element_size == 1   ? forms(kOfBytes)
         : element_size == 2 ? forms(kOfPairs)
         : element_size == 4 ? forms(kOfWords)
                             : kOfLarger;
}

}  // namespace cornerturn
