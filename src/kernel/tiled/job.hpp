#pragma once

#include <array>
#include <cstdint>
#include <limits>

#include "tile/radix_digit.hpp"

namespace cornerturn {

/// Bytes that a thread of the tiled kernel holds between its loads and its stores.
inline constexpr int kTiledBytesPerThread = 64;
/// Threads of a compiled tiled kernel.
inline constexpr int kTiledThreads[] = {128, 256};
/// Threads of all blocks that an SM should hold at once. This limits a thread to 64 registers.
inline constexpr int kTiledResidentThreads = 1024;

/// The accesses of a compiled tiled kernel, in elements.
struct tiled_widths {
  int load = 1;   ///< elements of a load, which are contiguous in the source
  int rows = 1;   ///< loads that a thread transposes in registers; their first elements are contiguous in the destination
  int store = 1;  ///< elements of a store, which are contiguous in the destination
  bool operator==(tiled_widths const&) const = default;
};

/// A mode, or a part of one, as a digit of an access's index in its tile. All members except `radix` count the elements that are
/// added when the digit grows by one.
struct access_digit {
  fast_divmod radix{1};                 ///< number of values of the digit
  int global = 0;                       ///< elements of the source or of the destination
  int shared = 0;                       ///< elements of shared memory
  int run_index = 0, vector_index = 0;  ///< elements along the tile's run, and along its vectors
};

/// The digits of an access's index, fastest first. There is at least one digit, and only the last one may have radix 1.
///
/// For example, a tile of 32 rows x 16 columns is loaded in 32 groups of 4 rows x 4 columns. The first digit has radix 4 and
/// steps over 4 columns: 4 elements of the source and 4 * 32 of shared memory, which has columns of 32 rows. The second digit has
/// radix 8 and steps over 4 rows. Group 9 = 1 + 2 * 4 begins in row 8 and column 4, at element 4 * 32 + 8 of shared memory.
struct access_digits {
  static constexpr int kMost = 12;
  std::array<access_digit, kMost> digits;
  int count = 0;
};

/// A problem for the tiled kernel, divided into tiles. A tile is a box of indices. Its *run* is the modes of the box that are
/// contiguous in the source, and its *vectors* are the modes that are contiguous in the destination. The modes outside the box
/// and the parts of modes that the box cuts number the tiles. Shared memory has a tile in the destination's order, with gaps. All
/// members count elements unless their comment says otherwise.
struct tiled_job {
  static constexpr int kMostDigits = 24;
  static constexpr int kUncut = std::numeric_limits<int>::max();

  std::array<radix_digit, kMostDigits> digits;
  digit_range tile_digits;     ///< digits of a block's index; their `source` and `destination` count elements
  access_digits load_digits;   ///< digits of the index of a thread's loads, in the source's order
  access_digits store_digits;  ///< digits of a store's index, in the destination's order
  int loads = 0;               ///< groups of `tiled_widths::rows` loads in a tile
  int stores = 0;              ///< stores of a tile
  int column_step = 1;         ///< elements of shared memory from one element of a load to the next
  std::int64_t row_step = 0;   ///< elements of the source from one row of a group of loads to the next
  std::int64_t run_end = kUncut, vectors_end = kUncut;  ///< extents of the cut modes; kUncut if tiles divide the mode
  int run_tile = 0, vectors_tile = 0;                   ///< elements of a tile along these two modes
};

/// The layout of an operation's scale and bias, the third of a `tiled_job`. Each entry counts the factors that are added when the
/// digit of the same index grows by one.
struct factor_steps {
  std::array<std::int64_t, tiled_job::kMostDigits> tile{};  ///< for `tiled_job::tile_digits`
  std::array<std::int64_t, access_digits::kMost> store{};   ///< for `tiled_job::store_digits`
  std::int64_t in_store = 0;                                ///< from one element of a store to the next
};

}  // namespace cornerturn
