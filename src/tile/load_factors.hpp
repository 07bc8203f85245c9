#pragma once

#include <cstdint>

#include <cute/config.hpp>

namespace cornerturn::tile {

/// Loads N factors from `first` on, `step` apart. If `step` is 0, loads one factor only. If `first` is null, all factors are
/// `missing`.
template <class Block, class C, int N>
CUTE_HOST_DEVICE void load_factors(Block& block, void const* from, std::int64_t first, std::int64_t step, C missing, bool active,
                                   C (&factors)[N]) {
  CUTE_UNROLL
  for (int v = 0; v < N; ++v) factors[v] = missing;
  if (!from) return;
  C const* const at = static_cast<C const*>(from) + first;
  if (step == 0) {
    block.template global_load<1>(at, &factors[0], active);
    CUTE_UNROLL
    for (int v = 1; v < N; ++v) factors[v] = factors[0];
  } else {
    CUTE_UNROLL
    for (int v = 0; v < N; ++v) block.template global_load<1>(at + v * step, &factors[v], active);
  }
}

}  // namespace cornerturn::tile
