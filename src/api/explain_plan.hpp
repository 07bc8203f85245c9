#pragma once

#include "cornerturn/explain.hpp"
#include "kernel/gpu_model.hpp"
#include "plan/candidate.hpp"
#include "problem/problem.hpp"

namespace cornerturn {

/// The explanation of a plan that moves nothing.
explanation nothing_to_move();

/// Explains one candidate of a GPU for a canonical problem, between buffers of these alignments (bytes, as in `explain_options`).
/// The counts of a candidate of several kernels are the sums over all kernels, and `threads` is that of the largest block.
explanation explain_candidate(candidate const& chosen, problem const& moved, gpu_model const& gpu, int source_align,
                              int destination_align);

}  // namespace cornerturn
