#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "plan/candidate.hpp"
#include "plan/cpu_panels.hpp"
#include "plan/exchanges.hpp"

namespace cornerturn {

/// Boxes that the CPU permutes one by one: both groups of an exchange with the modes between them, and a part of each run.
struct cpu_boxes {
  std::vector<cpu_panels> steps;  ///< one for equal parts, and one for a smaller last part
  std::int64_t part_bytes = 0;    ///< bytes of a run that a box has
};

/// Plans an exchange as boxes. `offset` counts elements from the caller's pointer to the array. Empty if the parts of runs would
/// be shorter than a cache line.
std::optional<cpu_boxes> plan_cpu_boxes(exchange const& groups, std::int64_t element_size, std::int64_t offset, int threads);

/// The way in which the CPU exchanges the sides of a rectangle that has few rows or columns.
struct cpu_skinny {
  candidate way;
  std::int64_t chunk_bytes = 0;  ///< bytes of the runs that the second exchange moves
  std::int64_t part_bytes = 0;   ///< bytes of such a run that a box has
  bool shifts = false;           ///< true if a third pass moves the rows apart or together
};

/// Plans the exchange of two neighbouring groups: the longer one is split into chunks. Within each chunk the exchange is a panel,
/// and the chunks are exchanged as boxes. What remains is saved in the workspace. Empty if the array is too large or too small
/// for this, or if the workspace is.
std::optional<cpu_skinny> plan_cpu_skinny(exchange const& groups, std::int64_t element_size, int threads,
                                          std::int64_t most_workspace);

}  // namespace cornerturn
