#pragma once

#include <cstdint>
#include <vector>

#include "plan/plan.hpp"

namespace cornerturn {

/// Blocks that ask the same of memory, but for whole cache lines between their addresses: one of them, and how many there are.
struct block_class {
  std::int64_t index, count;
};

/// Groups the blocks of a plan with one tile a block and no batch: by whether their tile ends with the matrix, and by where in a
/// cache line it begins on either side. `down`: consecutive blocks walk the destination's rows.
std::vector<block_class> classes_of(rung_plan const& plan, bool down);

}  // namespace cornerturn
