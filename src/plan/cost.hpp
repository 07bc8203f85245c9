#pragma once

#include "plan/gather.hpp"
#include "plan/interleave.hpp"
#include "plan/plan.hpp"
#include "plan/small.hpp"
#include "plan/unaligned.hpp"

namespace cornerturn {

/// What a launch of a program for any permutation asks of a GPU, estimated from its tile.
struct demand {
  double bytes = 0;         ///< read and written that are asked for
  double sectors = 0;       ///< of 32 bytes, that the L2 moves
  double split_rows = 0;    ///< rows that begin and end within sectors of their own
  double wavefronts = 0;    ///< of shared memory
  double instructions = 0;  ///< of warps
  double tiles = 0;
  double resident = 1;  ///< tiles that a multiprocessor holds at once
};
demand demand_of(gather_plan const& plan);
demand demand_of(interleave_plan const& plan);
demand demand_of(unaligned_plan const& plan);

/// How long a launch is expected to take on an H200, in seconds.
double expected_seconds(gather_plan const& plan);
double expected_seconds(rung_plan const& plan);
double expected_seconds(interleave_plan const& plan);
double expected_seconds(unaligned_plan const& plan);
double expected_seconds(small_plan const& plan);

}  // namespace cornerturn
