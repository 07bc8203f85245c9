#pragma once

#include <cstdint>

#include "tile/fast_divmod.hpp"

namespace cornerturn {

/// A mode, or a part of one, as a digit of a mixed-radix number: how many values it takes, and what a step of it costs.
struct digit {
  fast_divmod radix{1};
  int at = 0;                                ///< bytes of shared memory
  std::int64_t source = 0, destination = 0;  ///< bytes
  int of_run = 0, of_vectors = 0;            ///< indices of the mode that is cut on this side
};

/// Digits of one number, the fastest first.
struct digit_range {
  int begin = 0, end = 0;
};

/// Of shared memory, for what the digits of a block's number add up to.
constexpr int kSumBytes = 32;

}  // namespace cornerturn
