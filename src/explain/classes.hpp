#pragma once

#include <cstdint>
#include <vector>

#include "plan/gather.hpp"
#include "plan/interleave.hpp"
#include "plan/plan.hpp"
#include "plan/small.hpp"
#include "plan/unaligned.hpp"

namespace cornerturn {

/// Blocks that ask the same of memory, but for whole cache lines between their addresses: one of them, and how many there are.
struct block_class {
  std::int64_t index, count;
};

/// Groups the blocks of a plan with one tile a block: by whether their tile ends with the matrix, and by where in a cache line it
/// begins on either side. `down`: consecutive blocks walk the destination's rows.
std::vector<block_class> classes_of(rung_plan const& plan, bool down);

/// The addresses of a launch's arrays, which need not be memory.
struct array_addresses {
  std::uintptr_t source, destination;
};

/// Groups the blocks of the other programs by all that their accesses depend on: where in a cache line a tile begins on either
/// side, how much of it there is, and whether it has a 16-byte unit of which a part is not the source's. Looks at every block
/// once: throws `error` for a launch of more than 2^26.
std::vector<block_class> classes_of(gather_plan const& plan, array_addresses const& at);
std::vector<block_class> classes_of(interleave_plan const& plan, array_addresses const& at);
std::vector<block_class> classes_of(unaligned_plan const& plan, array_addresses const& at);
std::vector<block_class> classes_of(small_plan const& plan, array_addresses const& at);

}  // namespace cornerturn
