#pragma once

#include <array>
#include <limits>

#include "kernel/direct/job.hpp"

namespace cornerturn {

/// The axes of which some indices are missing on a side: an axis's indices from its `end` on.
struct limited_axes {
  struct limit {
    int end = std::numeric_limits<int>::max();
    bool of_source = true;  ///< the element becomes the pad; else it does not move
  };
  using indices = std::array<int, 2>;  ///< along the axes

  std::array<limit, 2> limits;
  std::array<indices, direct_job::kMostDigits> steps{};  ///< what each digit of the job adds when it grows by one
};

/// A job of the direct kernel whose elements may be missing on a side.
struct limited_job : direct_job {
  limited_axes axes;
};

}  // namespace cornerturn
