#pragma once

#include "plan/gather.hpp"
#include "plan/gpu_model.hpp"
#include "plan/interleave.hpp"
#include "plan/plan.hpp"
#include "plan/small.hpp"
#include "plan/unaligned.hpp"

namespace cornerturn {

/// The work of one launch, estimated from the plan's tile.
struct demand {
  double bytes = 0;         ///< bytes that the kernel reads and writes
  double sectors = 0;       ///< 32-byte sectors that the L2 cache moves
  double split_rows = 0;    ///< destination rows whose first and last sectors are written in part
  double wavefronts = 0;    ///< shared-memory wavefronts
  double instructions = 0;  ///< warp instructions
  double tiles = 0;
  double resident = 1;  ///< tiles that one SM holds at once
};
demand demand_of(gather_plan const& plan, gpu_attributes const& limits);
demand demand_of(interleave_plan const& plan, gpu_attributes const& limits);
demand demand_of(unaligned_plan const& plan);

/// The seconds that one launch is expected to take on a GPU.
double expected_seconds(gather_plan const& plan, gpu_model const& gpu);
double expected_seconds(rung_plan const& plan, gpu_model const& gpu);
double expected_seconds(interleave_plan const& plan, gpu_model const& gpu);
double expected_seconds(unaligned_plan const& plan, gpu_model const& gpu);
double expected_seconds(small_plan const& plan, gpu_model const& gpu);

}  // namespace cornerturn
