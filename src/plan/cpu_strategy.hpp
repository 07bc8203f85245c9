#pragma once

#include "plan/cpu_plan.hpp"

namespace cornerturn {

/// True if squares of vectors transpose tiles to where they belong, as the caches hold both sides and both fill a cache line.
bool suits_squares(cpu_plan const& plan);

/// The strategy of a plan that may have an image and whose other members are known. `may_stage` is true if units are small enough
/// for `transpose_staged`.
cpu_strategy strategy_of(cpu_plan const& plan, bool may_stage);

}  // namespace cornerturn
