#pragma once

#include <functional>

#include "cpu/machine.hpp"
#include "cpu/tiles/tiles.hpp"
#include "problem/validate.hpp"

namespace cornerturn::test {

/// Runs the engine's own plan for a canonical problem, which may have no elements.
inline void run_on_cpu(problem const& canonical, void const* source, void* destination,
                       std::function<void(double)> const& progress = {}) {
  if (destination_range(canonical) == byte_range{}) return;
  cpu::run(plan_cpu(canonical, cpu::usual_tile_hint()), source, destination, {progress ? &progress : nullptr});
}

}  // namespace cornerturn::test
