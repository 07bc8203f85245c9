#pragma once

#include "plan/cpu_plan.hpp"

namespace cornerturn {

/// True if elements, which vectors transpose, may have this size in bytes.
bool is_element(std::int64_t unit);

/// True if vectors interleave so many rows, or deinterleave so many columns.
bool are_fields(std::int64_t count);

/// True if squares of vectors transpose tiles to where they belong, as the caches hold both sides and both fill a cache line.
bool suits_squares(cpu_plan const& plan);

/// The strategy of a plan that may have an image and whose other members are known. `may_stage` is true if units are small enough
/// for `transpose_staged`.
cpu_strategy strategy_of(cpu_plan const& plan, bool may_stage);

}  // namespace cornerturn
