#include "machine/cpu_model.hpp"

namespace cornerturn {

/// Chosen among the hints in bench/results/xeon-hints.json.gz, which were timed on an Intel Xeon (Emerald Rapids, 2 MiB of level
/// 2 cache) with 1, 4 and 16 threads.
cpu_tile_hint xeon_tiles(cpu_limits const& limits) {
  auto result = zen4_tiles(limits);
  result.streamed_above = 1 << 20;
  result.small_tile = 2 << 20;  // "What was tried" in docs/notebook/cpu.md
  result.limits.direct_tile = 512 << 10;
  result.limits.same_sets = 32 << 10;  // four rows of each set; the level 2 cache has 16 ways
  return result;
}

}  // namespace cornerturn
