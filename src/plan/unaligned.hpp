#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plan/plan.hpp"
#include "problem/problem.hpp"
#include "tile/unaligned_job.hpp"

namespace cornerturn {

/// The unaligned kernel for one problem. Plain data: it serves any memory with the alignment that it was planned for.
struct unaligned_plan {
  unaligned_job job;
  int tile = 0;  ///< index among the compiled tiles
  int element_size = 1;
  std::int64_t source_offset = 0, destination_offset = 0;

  tile_shape shape() const { return unaligned_tile_of(element_size, tile); }
};

/// Plans a canonical problem, once with each tile; empty if its elements have more than 2 bytes, or if the same mode is
/// contiguous on both sides.
std::vector<unaligned_plan> plan_unaligned(problem const& canonical);

std::string describe(unaligned_plan const& plan);

}  // namespace cornerturn
