#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "cpu/boxes/plan.hpp"
#include "inplace/rectangles.hpp"
#include "plan/candidate.hpp"
#include "problem/exchange.hpp"

namespace cornerturn {

/// A way in which the CPU exchanges two groups of modes, and its expected time in units of the time of a copy. Many ways are
/// compared, so the steps are planned only when `way` is called.
struct cpu_exchange {
  std::function<candidate()> way;
  double cost = 1;
};

/// The ways of the CPU for an exchange of dense arrays with at most `most_workspace` bytes of workspace, in no order. There are
/// several only for rectangles that are larger than a panel; squares and panels have one.
std::vector<cpu_exchange> cpu_exchanges(placed_exchange const& whole, cpu_limits const& limits, std::int64_t most_workspace);

/// The cheapest of them, if there is one.
std::optional<cpu_exchange> cheapest_cpu_exchange(placed_exchange const& whole, cpu_limits const& limits,
                                                  std::int64_t most_workspace);

/// The steps that exchange the rows and columns of rectangles by a given cut.
candidate cpu_rectangle(placed_exchange const& whole, rectangle_cut const& cut, bool swaps_first, cpu_limits const& limits);

/// How the CPU exchanges the sides of a rectangle that has few rows or columns. The longer side is split into chunks. Within each
/// chunk the exchange is a panel, and the chunks are exchanged as boxes. The remaining indices are saved in the workspace.
struct cpu_skinny {
  rectangle_passes passes;
  cpu_boxes boxes;
  double cost = 0;  ///< the expected time of all steps, in units of the time of a copy
};

/// Plans an exchange of dense arrays. Returns nothing if the arrays are too large or too small for chunks, are no rectangles, or
/// if the workspace is too small.
std::optional<cpu_skinny> plan_cpu_skinny(placed_exchange const& whole, std::int64_t most_workspace, cpu_limits const& limits);

/// The steps of such an exchange.
candidate steps_of(cpu_skinny const& plan, cpu_limits const& limits);

}  // namespace cornerturn
