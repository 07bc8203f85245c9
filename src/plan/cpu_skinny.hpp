#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "plan/candidate.hpp"
#include "plan/cpu_boxes.hpp"
#include "plan/exchanges.hpp"

namespace cornerturn {

/// The way in which the CPU exchanges the sides of a rectangle that has few rows or columns.
struct cpu_skinny {
  candidate way;
  std::int64_t part_bytes = 0;  ///< bytes of a chunk's run that a box of the second exchange has
  bool shifts = false;          ///< true if a third pass moves the rows apart or together
};

/// Plans the exchange of two neighbouring groups: the longer one is split into chunks. Within each chunk the exchange is a panel,
/// and the chunks are exchanged as boxes. What remains is saved in the workspace. Empty if the array is too large or too small
/// for this, or if the workspace is.
std::optional<cpu_skinny> plan_cpu_skinny(exchange const& groups, std::int64_t element_size, int threads,
                                          std::int64_t most_workspace);

}  // namespace cornerturn
