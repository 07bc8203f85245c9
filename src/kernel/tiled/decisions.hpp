#pragma once

#include "kernel/decisions.hpp"
#include "kernel/tiled/layout.hpp"

namespace cornerturn {

/// The decisions of the layout that `tiled` and `convert` have. Offsets of 64 bits within a tile are no decision here, because
/// only arrays of more than 2^31 elements need them.
template <class Plan>
plan_decisions<Plan> layout_decisions() {
  return {
      {{"runs", {"whole runs", "cut runs"}, [](Plan const& plan) { return plan.job.run_end != tiled_job::kUncut; }},
       {"vectors", {"whole vectors", "cut vectors"}, [](Plan const& plan) { return plan.job.vectors_end != tiled_job::kUncut; }},
       {"blocks", {"one block", "several blocks"}, [](Plan const& plan) { return plan.blocks > 1; }}},
      {{"one block", {"cut runs", "cut vectors"}, "a mode is cut for several tiles"}}};
}

}  // namespace cornerturn
