#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "block/recording.hpp"
#include "cornerturn/explain.hpp"
#include "kernel/rung/plan.hpp"
#include "kernel/rung/variants.hpp"

namespace cornerturn::host {

/// A plan's program with its arguments.
struct rung_runner {
  bool down;                              ///< the raster order follows the destination's rows
  std::vector<tile_map> (*tiles)();       ///< the tiles in shared memory
  std::function<void(std::int64_t)> run;  ///< runs one block, given its index in the grid
};

/// Calls work(runner) with the program of a plan, if the plan has this element type and its variant this use. Each pair of these
/// has a translation unit of its own, made from run.cpp.in, because the programs compile slowly.
template <class T, variant_use Use>
void run_elements(rung_plan const& plan, T const* source, T* destination, recording* record,
                  std::function<void(rung_runner const&)> const& work);

/// Calls work(runner) with the program of a plan. If the recording is of addresses only, `source` and `destination` need not be
/// addresses of memory. `record` may be null.
void visit_runner(rung_plan const& plan, std::uintptr_t source, std::uintptr_t destination, recording* record,
                  std::function<void(rung_runner const&)> const& work);

}  // namespace cornerturn::host
