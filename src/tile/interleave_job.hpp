#pragma once

#include <array>
#include <cstdint>

#include "tile/digit.hpp"

namespace cornerturn {

/// What the interleave program is asked to move: `few` rows on one side, each of whole 16-byte units, whose elements lie side by
/// side on the other. A *group* is a unit of every row: as many bytes, one after another, on the other side.
struct interleave_job {
  static constexpr int kMostDigits = 24;
  std::array<digit, kMostDigits> digits;
  digit_range groups;      ///< which group; bytes of either side
  int count = 0;           ///< of groups
  std::int64_t apart = 0;  ///< bytes from one row to the next
};

}  // namespace cornerturn
