#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "plan/plan.hpp"
#include "tile/small_job.hpp"

namespace cornerturn {

/// The small kernel for one problem. Plain data: it serves any memory with the alignment that it was planned for.
struct small_plan {
  small_job job;
  int tile = 0;  ///< index among the compiled tiles
  int element_size = 1;
  int batch = 1;
  int blocks = 0;  ///< blocks of the launch
  std::int64_t source_offset = 0, destination_offset = 0;

  tile_shape shape() const { return small_tile_of(element_size, tile); }
};

/// Plans the problem of a `vec-both` plan, with the first tile of which the problem takes few enough blocks; empty if no tile
/// does, if `vec-both` accesses single elements, and for 16-byte elements.
std::optional<small_plan> plan_small(rung_plan const& vec_both);

std::string describe(small_plan const& plan);

}  // namespace cornerturn
