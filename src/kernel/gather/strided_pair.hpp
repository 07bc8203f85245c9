#pragma once

#include <cute/tensor.hpp>

#include "tile/fast_divmod.hpp"

namespace cornerturn::tile {

/// Steps a pair of indices (slow, fast) through a loop over slow * radix + fast. Only the constructor divides. For example,
/// with radix 5, first 7 and step 13 the pairs are (1, 2), (4, 0) and (6, 3), which stand for 7, 20 and 33.
struct strided_pair {
  int slow, fast, slow_step, fast_step, radix;
  int iteration = 0;  ///< number of steps so far

  CUTE_HOST_DEVICE strided_pair(fast_divmod const& divide, int first, int step) : radix(divide.divisor) {
    divide(slow, fast, first);
    divide(slow_step, fast_step, step);
  }
  CUTE_HOST_DEVICE void next() {
    ++iteration;
    slow += slow_step;
    fast += fast_step;
    if (fast >= radix) {
      fast -= radix;
      ++slow;
    }
  }
};

}  // namespace cornerturn::tile
