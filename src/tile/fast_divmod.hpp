#pragma once

#include <bit>
#include <cstdint>

#include "block/host_device.hpp"

namespace cornerturn {

/// Divides numbers in [0, 2^31) by a fixed divisor in [1, 2^31), with a multiplication and a shift.
///
/// The multiplier is 2^p / divisor, rounded up, where p = 31 + ceil(log2(divisor)). Rounding up adds less than 2^(p - 31) /
/// divisor, too little to reach the next quotient (Granlund and Montgomery, "Division by invariant integers using
/// multiplication", 1994).
struct fast_divmod {
  int divisor = 1;
  std::uint32_t multiplier = 0;  ///< unused if the divisor is 1
  int shift = 0;                 ///< p - 32

  constexpr fast_divmod() = default;
  constexpr explicit fast_divmod(int by) : divisor(by) {
    if (by == 1) return;
    int const log = std::bit_width(unsigned(by - 1));
    multiplier = std::uint32_t(((std::uint64_t(1) << (31 + log)) + std::uint64_t(by) - 1) / std::uint64_t(by));
    shift = log - 1;
  }

  CORNERTURN_HOST_DEVICE constexpr int divide(int dividend) const { return divisor == 1 ? dividend : divide_above_one(dividend); }
  /// The quotient by a divisor that is known to be above 1.
  CORNERTURN_HOST_DEVICE constexpr int divide_above_one(int dividend) const {
    return int(std::uint32_t((std::uint64_t(std::uint32_t(dividend)) * multiplier) >> 32) >> shift);
  }
  CORNERTURN_HOST_DEVICE constexpr void operator()(int& quotient, int& remainder, int dividend) const {
    quotient = divide(dividend);
    remainder = dividend - quotient * divisor;
  }
};

// p = 33 for a divisor of 3, and 7 * 0xAAAAAAAB / 2^33 is 2.33.
static_assert(fast_divmod(3).multiplier == 0xAAAAAAAB && fast_divmod(3).shift == 1 && fast_divmod(3).divide(7) == 2);

}  // namespace cornerturn
