#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "plan/candidate.hpp"
#include "plan/chunking.hpp"
#include "plan/exchanges.hpp"

namespace cornerturn {

/// The way in which the CPU exchanges the sides of a rectangle that has few rows or columns: the longer side is split into
/// chunks. Within each chunk the exchange is a panel, and the chunks are exchanged as boxes. What remains is saved in the
/// workspace, and a third pass moves the rows apart or together.
struct cpu_skinny {
  exchange groups;
  std::int64_t element_size = 1;  ///< bytes
  chunking chunks;
  std::int64_t part_bytes = 0;  ///< bytes of a chunk's run that a box of the second exchange has

  std::int64_t workspace_bytes() const {
    return groups.batch * std::min(groups.rows, groups.columns) * chunks.left * groups.run * element_size;
  }
};

/// Plans the exchange of two neighbouring groups. Empty if the array is too large or too small for chunks, or if the workspace is
/// too small.
std::optional<cpu_skinny> plan_cpu_skinny(exchange const& groups, std::int64_t element_size, std::int64_t most_workspace);

/// The steps of such an exchange. `threads` is the limit of a run's threads.
candidate steps_of(cpu_skinny const& plan, int threads);

}  // namespace cornerturn
