#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "plan/cpu_plan.hpp"

/// Vectors of these instructions have no size known to the compiler, and so there are no arrays of them. Highway is included
/// after this.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)

namespace cornerturn::cpu {

/// A share of a plan's tiles, and what it needs.
struct tile_share {
  std::byte const* source = nullptr;  ///< the pointers handed in
  std::byte* destination = nullptr;
  std::int64_t first = 0, end = 0;  ///< tiles, by their number in the plan's loops
  std::byte* image = nullptr;       ///< plan.image_bytes(), aligned to a cache line
  /// Is told of bytes moved now and then, and says whether to go on; what it throws passes through.
  std::function<bool(std::int64_t)> const* moved = nullptr;
};

/// Moves it with the best instructions that this processor has, of those enabled.
void move_tiles(cpu_plan const& plan, tile_share const& share);

/// What these instructions are called, e.g. "AVX2".
std::string instructions();

}  // namespace cornerturn::cpu
