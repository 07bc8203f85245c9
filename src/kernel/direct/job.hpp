#pragma once

#include <array>

#include "tile/radix_digit.hpp"

namespace cornerturn {

inline constexpr int kDirectThreads = 128;           ///< threads per block of the direct kernel
inline constexpr int kShortDirectDigits[] = {4, 8};  ///< digits of the compiled kernels for short jobs
/// The smallest elements, in bytes, that have a kernel for eight digits. More digits cost instructions for every element.
inline constexpr int kLeastSizeOfManyDigits = 8;

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

/// A job of one part and at most `Digits` digits. It takes little room in a launch's parameters, and the kernel has no loop over
/// digits, so its blocks start earlier. A digit that is not needed has the radix 1.
template <int Digits>
struct short_direct_job {
  struct digit {
    fast_divmod radix{1};
    int source = 0, destination = 0;  ///< elements
  };

  std::array<digit, Digits> digits;  ///< in the destination's order
  int elements = 1;

  explicit short_direct_job(direct_job const& job) : elements(job.elements) {
    for (int i = 0; i < job.element_digits.end; ++i) {
      radix_digit const& each = job.digits[std::size_t(i)];
      digits[std::size_t(i)] = {each.radix, int(each.source), int(each.destination)};
    }
  }
};

}  // namespace cornerturn
