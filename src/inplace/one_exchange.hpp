#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

#include "inplace/rectangle.hpp"
#include "plan/candidate.hpp"

namespace cornerturn {

/// The limit of the workspace in bytes that allows any workspace.
inline constexpr std::int64_t kAnyWorkspace = std::numeric_limits<std::int64_t>::max();

/// The largest panel of a GPU in bytes, which fits into the shared memory of a cluster of blocks.
std::int64_t most_panel_bytes(gpu_model const& gpu);

/// The candidates of a GPU for a canonical problem that exchanges two groups of modes in place, the fastest first, with at most
/// `most_workspace` bytes of workspace. The problem has elements, and its source and destination are one array. Empty if there is
/// no candidate.
std::vector<candidate> gpu_exchange_candidates(problem const& canonical, alignment const& aligned, gpu_model const& gpu,
                                               std::int64_t most_workspace);

/// The first of these candidates, without planning all of them to the end.
std::optional<candidate> fastest_gpu_exchange(problem const& canonical, alignment const& aligned, gpu_model const& gpu,
                                              std::int64_t most_workspace);

/// A way in which the CPU exchanges two groups of modes, and its expected time in units of the time of a copy. Many ways are
/// compared, so the steps are planned only when `way` is called.
struct cpu_exchange {
  std::function<candidate()> way;
  double cost = 1;
};

/// The ways of the CPU for such a problem, in no order. There are several only for rectangles that are larger than a panel;
/// squares and panels have one.
std::vector<cpu_exchange> cpu_exchanges(problem const& canonical, cpu_limits const& limits, std::int64_t most_workspace);

/// The cheapest of them, if there is one.
std::optional<cpu_exchange> cheapest_cpu_exchange(problem const& canonical, cpu_limits const& limits,
                                                  std::int64_t most_workspace);

/// The steps that exchange rows and columns by a given cut. Returns nothing if a panel does not fit into the GPU's shared memory.
std::optional<candidate> gpu_rectangle(panels const& whole, rectangle_cut const& cut, bool swaps_first, alignment const& aligned,
                                       gpu_model const& gpu);
candidate cpu_rectangle(panels const& whole, rectangle_cut const& cut, bool swaps_first, cpu_limits const& limits);

}  // namespace cornerturn
