#pragma once

#include <cstdint>

#include "block/host_device.hpp"
#include "tile/fast_divmod.hpp"
#include "tile/tile_shape.hpp"

namespace cornerturn {

/// Squares whose runs (r, c) and (c, r) change places. A run is one or more contiguous elements that stay together. A tile is a
/// square of runs, or of equal parts of long runs. A block swaps two tiles that lie across the diagonal from each other, or one
/// tile on the diagonal with itself. All members count elements unless their comment says otherwise.
struct swap_job {
  // The array: squares of runs.
  std::int64_t extent = 0;                          ///< runs along each side of a square
  std::int64_t run = 1;                             ///< elements of a run
  std::int64_t pitch = 0;                           ///< from one row of runs to the next
  std::int64_t inner_stride = 0, outer_stride = 0;  ///< from one square of the inner or outer batch to the next
  std::int64_t elements = 0;                        ///< from the first run of the first square to the end of the last square
  int squares = 1;                                  ///< squares of both batches

  // The tiles.
  int tiles = 1;         ///< tiles along each side of a square
  int tile_squares = 1;  ///< squares in which a block of `swap_runs` swaps the same tiles

  // Divisors of a square's index (`inner`), of a block's index and, in `swap_runs`, of an element's index in the tile.
  fast_divmod inner{1};                       ///< squares of the inner batch
  fast_divmod pair_columns{1}, pair_rows{1};  ///< the pairs of tiles of a square, folded to a rectangle
  fast_divmod parts{1};                       ///< parts of a run
  fast_divmod tile_runs{1};                   ///< runs along each side of a tile
  fast_divmod tile_part{1};                   ///< elements of a run that a tile has; the last part of a run may be smaller

  // `swap_rows`: shared memory, and what a row touches.
  int shared_pitch = 0;      ///< from one row of a tile of `swap_rows` to the next in shared memory
  int shared_tile = 0;       ///< from one tile of `swap_rows` to the other in shared memory
  fast_divmod row_units{1};  ///< 16-byte units that a row of a tile of `swap_rows` touches, at most

  /// Elements from the first square to the square `square`.
  CORNERTURN_HOST_DEVICE std::int64_t square_offset(int square) const {
    int outer, index;
    inner(outer, index, square);
    return outer * outer_stride + index * inner_stride;
  }
};

/// The two tiles that a block swaps: (row, column) and (column, row), where row <= column.
struct tile_pair {
  int row, column;  ///< tiles
  int part;         ///< index of the part of each run
  int group;        ///< index of the squares: `tile_squares` of them are a group

  /// Row y of the rectangle consists of row y of the triangle of tiles on and above the diagonal, and of one of its last rows.
  /// For example, a square of 4 x 4 tiles has 10 pairs, a rectangle of 2 x 5:
  ///
  ///     (0,0) (0,1) (0,2) (0,3) (3,3)
  ///     (1,1) (1,2) (1,3) (2,2) (2,3)
  CORNERTURN_HOST_DEVICE tile_pair(swap_job const& job, int index) {
    int x, y;
    job.pair_columns(index, x, index);
    job.pair_rows(index, y, index);
    job.parts(group, part, index);
    int const length = job.tiles - y;
    bool const is_from_start = x < length;
    row = is_from_start ? y : length - (job.tiles % 2 == 0);
    column = row + (is_from_start ? x : x - length);
  }
};

inline constexpr int kSwapRunsThreads = 256, kSwapRowsThreads = 256;  ///< threads per block of these kernels

/// The elements of each tile that a thread of the kernel `swap_runs` loads before it stores them. A load takes equally long for
/// small and for large elements, so more small ones are in flight.
constexpr int swap_runs_unrolled(int element_size) { return element_size <= 4 ? 6 : 4; }

/// The tile of the kernel `swap` for an element size in bytes: its rows and columns, the threads of one tile, and the blocks that
/// an SM should hold at once. Elements of 16 bytes are vectors, so they have one tile.
constexpr tile_shape swap_tile_of(int element_size, bool is_vectorised) {
  constexpr tile_shape of_vectors[] = {{128, 128, 64, 4},
                                       {128, 128, 128, 3},
                                       {64, 64, 128, 4},
                                       {32, 32, 128, 5},
                                       {32, 32, 256, 2}},
                       of_elements[] = {{128, 128, 128, 2}, {64, 64, 128, 3}, {64, 64, 128, 4}, {32, 32, 128, 4}};
  int const index = element_size == 1 ? 0 : element_size == 2 ? 1 : element_size == 4 ? 2 : element_size == 8 ? 3 : 4;
  return is_vectorised || element_size == 16 ? of_vectors[index] : of_elements[index];
}

}  // namespace cornerturn
