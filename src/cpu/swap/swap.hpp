#pragma once

#include <cstddef>
#include <cstdint>

#include "cpu/swap/plan.hpp"

namespace cornerturn::cpu {

/// Swaps the pairs of tiles `first` to `end` - 1 of a plan with the best enabled vector instructions of this processor. The pairs
/// are numbered as `cpu_swap::tasks` counts them. `data` is the caller's pointer.
void swap_tiles(cpu_swap const& plan, std::byte* data, std::int64_t first, std::int64_t end);

}  // namespace cornerturn::cpu
