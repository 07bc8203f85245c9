#pragma once

#include <functional>
#include <vector>

#include "block/recording.hpp"
#include "cornerturn/explain.hpp"
#include "kernel/rung/plan.hpp"

namespace cornerturn::host {

struct rung_runner : block_runner {
  std::vector<tile_map> (*tiles)();  ///< the tiles in shared memory
};

/// Calls work(runner) with the program of a plan, if the plan has this element type and its variant has this use. Each pair of a
/// type and a use has its own translation unit, made from run.cpp.in, because the programs compile slowly.
template <class T, variant_use Use>
void run_elements(rung_plan const& plan, T const* source, T* destination, recording* record,
                  std::function<void(rung_runner const&)> const& work);

/// Does the same as `visit_runner`, with a runner that has the tiles, too.
void visit_rung_runner(rung_plan const& plan, void const* source, void* destination, recording* record,
                       std::function<void(rung_runner const&)> const& work);

}  // namespace cornerturn::host
