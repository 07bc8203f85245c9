#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plan/plan.hpp"
#include "problem/problem.hpp"
#include "tile/unaligned_job.hpp"

namespace cornerturn {

/// The unaligned program for one problem. Plain data: it holds for any memory aligned as it was planned for.
struct unaligned_plan {
  unaligned_job job;
  int tile = 0;  ///< which of those compiled
  int element_size = 1;
  std::int64_t source_offset = 0, destination_offset = 0;

  tile_shape shape() const { return unaligned_tile_of(element_size, tile); }
};

/// The plans for a canonical problem, one for each tile; none where its elements have more than 2 bytes, or the same mode comes
/// first on both sides.
std::vector<unaligned_plan> plan_unaligned(problem const& canonical);

std::string describe(unaligned_plan const& plan);

}  // namespace cornerturn
