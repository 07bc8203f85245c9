#pragma once

#include <array>
#include <cstdint>

#include "tile/radix_digit.hpp"

namespace cornerturn {

inline constexpr int kDirectThreads = 128;  ///< threads per block of the direct kernel

/// A problem for the direct kernel. Its elements are vectors: they are as wide as both sides allow. The modes are digits in the
/// destination's order, and their members `source` and `destination` count elements. The fastest modes number the elements of a
/// *part*. The other modes number the parts. A tile is consecutive elements of one part.
struct direct_job {
  static constexpr int kMostDigits = 24;

  std::array<radix_digit, kMostDigits> digits;
  digit_range element_digits;  ///< digits of an element of a part
  digit_range part_digits;     ///< digits of a part
  int elements = 1;            ///< elements of a part
  fast_divmod tiles{1};        ///< tiles of a part
};

}  // namespace cornerturn
