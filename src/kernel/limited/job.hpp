#pragma once

#include <array>
#include <limits>

#include "kernel/direct/job.hpp"

namespace cornerturn {

/// A job of the direct kernel whose elements may be missing on a side. The members `run_index` and `vector_index` of its digits
/// count indices of two axes, and an index from the axis's `end` on is missing.
struct limited_job : direct_job {
  struct limit {
    int end = std::numeric_limits<int>::max();
    bool of_source = true;  ///< the element becomes the pad; else it does not move
  };
  std::array<limit, 2> limits;
};

}  // namespace cornerturn
