#pragma once

#include <array>
#include <cstdint>

#include "tile/radix_digit.hpp"

namespace cornerturn {

/// What the interleave programs are asked to move: a few rows on one side, whose elements lie side by side on the other. A
/// *group* is a 16-byte unit of every row: as many bytes, one after another, on the other side.
struct interleave_job {
  static constexpr int kMostDigits = 24;
  std::array<radix_digit, kMostDigits> digits;
  digit_range counted;     ///< which group; where rows begin anywhere, which tile, and `of_run` is its number in its rows
  int count = 0;           ///< of groups or tiles
  std::int64_t apart = 0;  ///< bytes from one row to the next
  std::int64_t many = 0;   ///< elements of a row
  std::int64_t source_low = 0, source_high = 0;  ///< bytes from the source's pointer: the first read, and past the last
};

}  // namespace cornerturn
