#include "machine/cpu_model.hpp"

namespace cornerturn {

/// Timed on an Intel Xeon (Emerald Rapids) without its AVX-512 instructions (bench/results/xeon-avx2.json.gz).
cpu_tile_hint avx2_tiles(cpu_limits const& limits) {
  cpu_tile_hint result{.streamed_above = 1 << 20, .direct = true, .limits = limits};
  result.limits.direct_tile = 512 << 10;
  result.limits.same_sets = 32 << 10;
  return result;
}

}  // namespace cornerturn
