#pragma once

#include <string_view>
#include <vector>

#include "cornerturn/explain.hpp"
#include "machine/gpu_model.hpp"
#include "plan/prepared.hpp"

namespace cornerturn {

/// Explains the launches of a candidate of a GPU on these buffers, where no memory need exist: what they are, and what their
/// blocks access. The counts of several kernels are summed, and `threads` is for the largest block. A finding cannot suggest
/// another tile, because a plan has only one: `advice` says where to find other plans.
explanation explain_launches(candidate const& chosen, plan_memory const& at, gpu_model const& gpu, std::string_view advice);

/// Explains one candidate of a GPU for a canonical problem, or for a copy within limits, between buffers of these alignments
/// (bytes, as in `explain_options`).
explanation explain_candidate(candidate const& chosen, problem const& moved, gpu_model const& gpu, int source_align,
                              int destination_align);
explanation explain_candidate(candidate const& chosen, pattern_copy const& moved, gpu_model const& gpu, int source_align,
                              int destination_align);

/// Explains a plan for a GPU. For a plan for the CPU, explains the first of an H200's candidates for its canonical problem, which
/// gpu_candidates(problem) returns.
explanation explain_prepared(prepared_plan const& plan, std::vector<candidate> (*gpu_candidates)(problem const&));

}  // namespace cornerturn
