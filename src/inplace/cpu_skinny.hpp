#pragma once

#include <cstdint>
#include <optional>

#include "cpu/boxes/plan.hpp"
#include "inplace/exchanges.hpp"
#include "inplace/rectangle.hpp"
#include "plan/candidate.hpp"

namespace cornerturn {

/// The way in which the CPU exchanges the sides of a rectangle that has few rows or columns: the longer side is split into
/// chunks. Within each chunk the exchange is a panel, and the chunks are exchanged as boxes. What remains is saved in the
/// workspace.
struct cpu_skinny {
  rectangle_passes passes;  ///< the panels, and what is saved
  cpu_boxes boxes;
  double cost = 0;  ///< the expected time of all steps, in units of the time of a copy
};

/// Plans the exchange of two neighbouring groups. Empty if the array is too large or too small for chunks, or if the workspace is
/// too small.
std::optional<cpu_skinny> plan_cpu_skinny(exchange const& groups, std::int64_t element_size, std::int64_t most_workspace,
                                          cpu_limits const& limits);

/// The steps of such an exchange.
candidate steps_of(cpu_skinny const& plan, cpu_limits const& limits);

}  // namespace cornerturn
