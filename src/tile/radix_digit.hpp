#pragma once

#include <cstdint>

#include "tile/fast_divmod.hpp"

namespace cornerturn {

/// A mode, or a part of one, as a digit of a mixed-radix number. `radix` is the number of its values. All other members are the
/// amounts that are added when the digit grows by one.
///
/// For example, a 64 x 48 matrix of bytes is transposed in tiles of 32 rows x 16 columns. The tile's index has two digits. The
/// first has radix 3, source 16 and destination 1024 (16 columns). The second has radix 2, source 1536 and destination 32 (32
/// rows). Tile 5 = 2 + 1 * 3 begins at 2 * 16 + 1536 = 1568 in the source, and at 2 * 1024 + 32 = 2080 in the destination.
struct radix_digit {
  fast_divmod radix{1};                      ///< number of values of the digit
  int smem_offset = 0;                       ///< bytes of shared memory
  std::int64_t source = 0, destination = 0;  ///< bytes of global memory
  int run_index = 0;                         ///< indices of the mode that tiles cut along the source
  int vector_index = 0;                      ///< indices of the mode that tiles cut along the destination
};

/// The digits of one number in a job's list of digits, fastest first.
struct digit_range {
  int begin = 0, end = 0;
};

/// Bytes of shared memory through which one warp passes a block's decoded index to the other warps.
constexpr int kDecodedBytes = 32;

}  // namespace cornerturn
