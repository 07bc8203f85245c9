#pragma once

#include <array>
#include <cstdint>

#include "tile/decoded_index.hpp"
#include "tile/radix_digit.hpp"

namespace cornerturn {

inline constexpr int kInterleaveThreads = 256;                    ///< threads per block of the kernels
inline constexpr int kInterleaveGroups = kInterleaveThreads - 1;  ///< groups of a tile if rows are unaligned

/// A problem for the interleave kernels: rows on one side, and structures with an element of each row on the other side. A
/// *group* is a 16-byte unit of every row, and the same bytes in one piece on the other side.
struct interleave_job {
  static constexpr int kMostDigits = 24;
  std::array<radix_digit, kMostDigits> digits;
  /// Digits of a group's index. If rows are unaligned, digits of a tile's index, whose `run_index` counts tiles of a row.
  digit_range index_digits;
  int count = 0;                                 ///< groups; if rows are unaligned, tiles
  std::int64_t row_pitch = 0;                    ///< bytes from one row to the next
  std::int64_t row_elements = 0;                 ///< elements of a row
  std::int64_t source_low = 0, source_high = 0;  ///< bytes from the source's pointer to its first byte, and past its last
};

/// The first element of a tile in its rows, if these are unaligned. The tile may begin up to one unit earlier, and a unit has
/// `unit_elements`.
CORNERTURN_HOST_DEVICE std::int64_t first_element(tile::decoded_index<std::int64_t> const& place, int unit_elements) {
  return place.run_index * (kInterleaveGroups * unit_elements);
}

}  // namespace cornerturn
