#include "machine/cpu_model.hpp"

namespace cornerturn {

/// Measured on an AMD EPYC (Zen 4). The sections of docs/notebook/cpu.md name what each number was compared with; the runs were
/// not kept.
cpu_tile_hint zen4_tiles(cpu_limits const& limits) {
  // "What was tried"
  return {.columns = 4096,
          .row = 8 << 10,
          .run = 256,  // columns of fewer bytes are written faster from an image
          .staged = 2,
          .near = 0,
          .dense = 4 << 10,                         // the image and its source stay in the level 1 cache
          .fields = limits.byte_permutes ? 16 : 4,  // permutations of 64 bytes, if the processor has them
          .direct = true,
          .prefetches = true,
          .limits = limits};
}

}  // namespace cornerturn
