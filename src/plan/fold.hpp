#pragma once

#include <optional>

#include "problem/problem.hpp"
#include "tile/job.hpp"

namespace cornerturn {

/// A problem seen as a batch of matrices: transposed, or straight (both sides contiguous along the columns).
struct folded {
  bool transposed = false;
  job shape;
};

/// Folds a canonical problem; nothing where it is neither a batched 2-D transpose nor a batched 2-D copy.
std::optional<folded> fold(problem const& canonical);

}  // namespace cornerturn
