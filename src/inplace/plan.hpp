#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "plan/candidate.hpp"

namespace cornerturn {

/// The limit of the workspace in bytes that allows any workspace.
inline constexpr std::int64_t kAnyWorkspace = std::numeric_limits<std::int64_t>::max();

/// The workspace in bytes that a plan in place may need if the caller sets no limit, for an array of `bytes` bytes.
std::int64_t usual_workspace(std::int64_t bytes);

/// The candidates of a GPU for a canonical problem in place, the fastest first, with at most `most_workspace` bytes of workspace.
/// The problem has elements, and its source and destination are one dense array. A permutation that is not one exchange of two
/// groups of modes becomes a sequence of exchanges, which share the workspace. Empty if there is no candidate.
std::vector<candidate> inplace_candidates_of(problem const& canonical, alignment const& aligned,
                                             gpu_model const& gpu = h200_model(), std::int64_t most_workspace = kAnyWorkspace);

/// The first of these candidates, without planning all of them to the end.
std::optional<candidate> inplace_candidate_of(problem const& canonical, alignment const& aligned,
                                              gpu_model const& gpu = h200_model(), std::int64_t most_workspace = kAnyWorkspace);

/// The plan of the CPU for such a problem, if there is one.
std::optional<candidate> cpu_inplace_candidate_of(problem const& canonical, cpu_limits const& limits = {},
                                                  std::int64_t most_workspace = kAnyWorkspace);

/// The least workspace in bytes with which a GPU, or the CPU, can permute in place; nothing if no workspace is large enough. The
/// search plans with several limits.
std::optional<std::int64_t> least_gpu_workspace(problem const& canonical, alignment const& aligned, gpu_model const& gpu);
std::optional<std::int64_t> least_cpu_workspace(problem const& canonical, cpu_limits const& limits = {});

}  // namespace cornerturn
