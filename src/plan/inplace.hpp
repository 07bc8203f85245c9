#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "plan/candidate.hpp"
#include "plan/rectangle.hpp"

namespace cornerturn {

/// A limit of the workspace in bytes that allows any.
inline constexpr std::int64_t kAnyWorkspace = std::numeric_limits<std::int64_t>::max();

/// The largest panel in bytes. On the CPU, panels of long rectangles may be larger than the level 2 cache. On a GPU, a panel fits
/// into the shared memory of a cluster of blocks.
inline constexpr std::int64_t kLongestCpuPanel = 8 << 20;
std::int64_t most_panel_bytes(gpu_model const& gpu);

/// The workspace in bytes that a plan in place may need if the caller sets no limit, for an array of `bytes` bytes.
std::int64_t usual_workspace(std::int64_t bytes);

/// The candidates of a GPU for a canonical problem that has elements and whose source and destination are one array, with at most
/// `most_workspace` bytes of workspace, the fastest first. Empty if there is none.
std::vector<candidate> inplace_candidates_of(problem const& canonical, alignment const& aligned,
                                             gpu_model const& gpu = h200_model(), std::int64_t most_workspace = kAnyWorkspace);

/// The plans of the CPU for a canonical problem whose source and destination are one array: at most one. `threads` is the limit
/// of a run's threads.
std::vector<candidate> cpu_inplace_candidates_of(problem const& canonical, int threads,
                                                 std::int64_t most_workspace = kAnyWorkspace);

/// The least workspace in bytes with which a GPU, or the CPU, can exchange the two sides of rectangles in place. Empty if the
/// problem is something else, or if no workspace is large enough.
std::optional<std::int64_t> least_gpu_workspace(problem const& canonical, alignment const& aligned, gpu_model const& gpu);
std::optional<std::int64_t> least_cpu_workspace(problem const& canonical);

/// The steps that exchange rows and columns by a given cut. Empty if a panel does not fit into the GPU's shared memory.
std::optional<candidate> gpu_rectangle(panels const& whole, rectangle_cut const& cut, bool swaps_first, alignment const& aligned,
                                       gpu_model const& gpu);
candidate cpu_rectangle(panels const& whole, rectangle_cut const& cut, bool swaps_first, int threads);

}  // namespace cornerturn
