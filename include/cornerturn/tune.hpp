#pragma once

#include <cstdint>
#include <string>

#include "cornerturn/export.h"
#include "cornerturn/index_list.hpp"
#include "cornerturn/plan.hpp"

namespace cornerturn {

/// What the candidates for one problem were found to be. Seconds are those of one run.
struct tuned {
  std::string kernel;            ///< the one chosen, with its tile and accesses; empty where there is nothing to move
  double seconds = 0;            ///< that it takes
  double estimated_seconds = 0;  ///< that the kernel takes which an estimate chooses
};

/// Times the kernels that `plan_permute` chooses from, also where that was done before, and remembers the quickest in the user's
/// cache directory: plans that are made from then on take it. What `cache_info` counts is not made anew before `cache_clear`.
/// Takes under half a second, and memory for both sides, or on the CPU for a part of large ones. The options' effort makes no
/// difference. A choice of the CPU's holds for the model, the instructions and the number of threads that it was measured
/// with.
///
/// Throws `error` as `plan_permute`, and of kind device where memory is short.
CORNERTURN_API tuned tune_permute(index_list shape, index_list axes, std::int64_t element_size, plan_options const& options = {});

}  // namespace cornerturn
