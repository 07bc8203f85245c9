#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "block/recording.hpp"
#include "cornerturn/explain.hpp"
#include "kernel/rung/plan.hpp"
#include "kernel/rung/variants.hpp"

namespace cornerturn::host {

/// A plan's program, ready to run.
struct block_runner {
  bool down;  ///< consecutive blocks walk the destination's rows
  std::vector<tile_map> (*tiles)();
  std::function<void(std::int64_t)> run;  ///< one block, by its number in the grid
};

/// Hands to `work` the program of a plan of one element type whose variant is of this use. Each pair of them has a translation
/// unit of its own, made from run.cpp.in, because the programs compile slowly.
template <class T, variant_use Use>
void run_elements(rung_plan const& plan, T const* source, T* destination, recording* record,
                  std::function<void(block_runner const&)> const& work);

/// Hands to `work` the program of a plan. `source` and `destination` are addresses that need not be memory if the recording is
/// of addresses only; `record` may be null.
void visit_runner(rung_plan const& plan, std::uintptr_t source, std::uintptr_t destination, recording* record,
                  std::function<void(block_runner const&)> const& work);

}  // namespace cornerturn::host
