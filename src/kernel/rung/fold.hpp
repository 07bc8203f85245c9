#pragma once

#include <optional>

#include "problem/problem.hpp"
#include "tile/job.hpp"

namespace cornerturn {

/// A problem as a batch of matrices, which are transposed or copied. In a copy both sides are contiguous along the columns.
struct folded {
  bool transposed = false;
  job shape;
};

/// Folds a canonical problem; empty if it is neither a batched 2-D transpose nor a batched 2-D copy.
std::optional<folded> fold(problem const& canonical);

}  // namespace cornerturn
