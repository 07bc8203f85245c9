#include "machine/cpu_model.hpp"

namespace cornerturn {

/// Measured on an AMD EPYC (Zen 4). "What was tried" in docs/notebook/cpu.md has what the tiles were compared with; the runs were
/// not kept.
cpu_tile_hint zen4_tiles(cpu_limits const& limits) {
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

/// Fitted by bench/fit_cpu.py (bench/results/zen4-model.json.gz) to committed runs of two threads on two cores; "Expected times"
/// in docs/notebook/cpu.md has the errors. The bytes in the caches are not fitted: they are twice the largest result with
/// ordinary stores.
constinit cpu_rates const kZen4Rates{.name = "an AMD EPYC (Zen 4)",
                                     .threads = 2,
                                     .cached_bytes = 8 << 20,
                                     .memory_bytes_per_second = 2.3e10,
                                     .cached_bytes_per_second = 1.3e11,
                                     .image_bytes_per_second = 5.3e10,
                                     .joined_bytes_per_second = 2.1e10,
                                     .changed_bytes_per_second = 5.2e10,
                                     .instructions_per_second = 4.8e9,
                                     .source_run_seconds = 3.7e-8,
                                     .threads_seconds = 5.8e-5};

/// Fitted to the times of passes and of copies, which vary by a fifth. The shares of squares are rough. The runs were not kept.
constinit cpu_exchange_rates const kZen4Exchanges{.panels = 0.6,
                                                  .large_panels = 0.5,
                                                  .half_column = 16,
                                                  .slots = 0.9,
                                                  .half_slot = 40,
                                                  .elements = 0.55,
                                                  .runs = 0.6,
                                                  .half_run = 43,
                                                  .boxes = 0.52,
                                                  .half_part = 60,
                                                  .half_kept = 160,
                                                  .same_sets = 0.4,
                                                  .chunk_panels = 1.9,
                                                  .large_chunk_panels = 2.2,
                                                  .copies = 0.05};

}  // namespace cornerturn
