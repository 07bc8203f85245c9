#include "base/fork_safe_static.hpp"
#include "block/sizes.hpp"
#include "machine/gpu_model.hpp"

namespace cornerturn {
namespace {

/// Rates beyond what an H200 can reach. The fit gave them to kernels that the resource hardly ever limits.
constexpr double kNoByteLimit = 8e12, kNoSectorLimit = 1e14, kNoWavefrontLimit = 8;

/// Each number's source is beside it. "Not kept" are runs on an H200 that were not committed; "fitted" are those that
/// bench/fit_gpu.py wrote from bench/results/h200-fit-between.json.gz and h200-fit-rows.json.gz.
gpu_model fitted() {
  return {
      .name = "an H200",
      // as CUDA reports them; `model_for` compares the name
      .limits = {.name = "NVIDIA H200",
                 .sm_count = 132,
                 .clock_hz = 1.98e9,
                 .memory_bytes_per_second = 4.814304e12,
                 .l2_bytes = 60 << 20,
                 .threads_per_sm = 2048,
                 .registers_per_sm = 64 << 10,
                 .blocks_per_sm = 32,
                 .shared_bytes_per_sm = 228 << 10,
                 .reserved_shared_bytes = 1 << 10,
                 .cluster_blocks = 16},

      .clock_hz = 1.755e9,            // of the timed launches, below the highest clock
      .cached_bytes = 60e6,           // about the size of the L2 cache
      .few_tiles_bytes = 32 << 20,    // not kept
      .split_row_seconds = 25e-12,    // not kept
      .halved_row_share = 0.25,       // not kept
      .dram_access_bytes = 64,        // HBM3's
      .write_window_bytes = 8 << 20,  // not kept
      .stored_line_share = 0.28,      // `naive-read` and `naive-write` in bench/results/h200-ladder.json.gz

      // The bytes times `rungs.copy` are the speed of `copy` on large matrices in bench/results/h200-ladder.json.gz.
      .copies = {.bytes_per_second = 4.4e12, .start_seconds = 3.3e-6},  // the start: not kept
      // not kept
      .rungs = {.copy = 0.98,
                .vectors = 0.97,
                .elements = 0.4,
                .idle_element = 0.07,
                .idle_small_element = 0.13,
                .other_copy_tile = 1.02,
                .other_tile = 1.02,
                .short_thread = 1.07,
                .narrow_tile = 1.05,
                .narrow_unaligned = 1.25,
                .wave_seconds = 2e-6},
      // fitted, but the shares
      .small = {.share = 0.94,
                .cached_share = 1.5,
                .blocks = 4096,
                .forms = {{{{{7.8e-7, 2.45e-7}, {1.23e-6, 3.31e-7}, {1.26e-6, 1.61e-7}, {1.29e-6, 1.36e-7}}},
                           {{{1.14e-6, 1.68e-7}, {1.51e-6, 2.33e-7}, {1.33e-6, 2e-7}, {1.31e-6, 1.63e-7}, {1.33e-6, 1.41e-7}}},
                           {{{1.33e-6, 1.62e-7}, {1.29e-6, 2.16e-7}, {1.33e-6, 2.13e-7}}},
                           {{{1.29e-6, 3.21e-7}, {1.34e-6, 3.06e-7}}},
                           {{{1.39e-6, 2.9e-7}, {1.46e-6, 2.78e-7}}}}}},
      // the same
      .flat = {.share = 0.8,
               .cached_share = 1.3,
               .blocks = 4096,
               .sectors_per_second = 2.5e11,
               .start_seconds = {1.39e-6, 1.48e-6, 1.57e-6, 1.73e-6},
               .digits = {1, 1.06, 1.33, 1.33},
               .block_seconds = {{{1e-7, 1.78e-7, 1.49e-7},
                                  {1e-7, 2.02e-7, 1.06e-7},
                                  {1.16e-7, 1.92e-7, 2.07e-7},
                                  {9.52e-8, 2.63e-7, 1.63e-7},
                                  {1.26e-7, 4.63e-7, 6.6e-7}}}},
      // fitted
      .direct = {.bytes_per_second = 5.5e12,
                 .sectors_per_second = 2.89e11,
                 .instructions_per_cycle = 6.83,
                 .wavefronts_per_cycle = 0.867,
                 .tile_seconds = 1.56e-7,
                 .sharpness = 2.3,
                 .lone_block_share = 1.56,
                 .start_seconds = 1.22e-6,
                 .waited_seconds = 3.66e-9},
      // the launches of `tiled` in bench/results/h200-tiled.json.gz, so that the choice among all families is right
      .tiled = {{{.bytes_per_second = 4.4e12,
                  .sectors_per_second = 2.8e11,
                  .instructions_per_cycle = 8,
                  .wavefronts_per_cycle = kNoWavefrontLimit,
                  .tile_seconds = 2.5e-7,
                  .sharpness = 4.38,
                  .lone_block_share = 0.173,
                  .start_seconds = 3e-6},
                 {.bytes_per_second = 4.4e12,
                  .sectors_per_second = 5.43e11,
                  .instructions_per_cycle = 4.34,
                  .wavefronts_per_cycle = kNoWavefrontLimit,
                  .tile_seconds = 3.17e-6,
                  .sharpness = 6,
                  .lone_block_share = 0.035,
                  .start_seconds = 3.19e-6},
                 {.bytes_per_second = 4.4e12,
                  .sectors_per_second = 6.34e11,
                  .instructions_per_cycle = 8,
                  .wavefronts_per_cycle = kNoWavefrontLimit,
                  .tile_seconds = 2.73e-6,
                  .sharpness = 3.97,
                  .lone_block_share = 0.093,
                  .start_seconds = 1.8e-6},
                 {.bytes_per_second = 5.19e12,
                  .sectors_per_second = 4.41e11,
                  .instructions_per_cycle = 8,
                  .wavefronts_per_cycle = kNoWavefrontLimit,
                  .tile_seconds = 1.39e-6,
                  .sharpness = 2.46,
                  .lone_block_share = 0.008,
                  .start_seconds = 3.59e-6},
                 {.bytes_per_second = 4.59e12,
                  .sectors_per_second = 2.69e11,
                  .instructions_per_cycle = 5.81,
                  .wavefronts_per_cycle = kNoWavefrontLimit,
                  .tile_seconds = 2.49e-6,
                  .sharpness = 6,
                  .lone_block_share = 0.005,
                  .start_seconds = 1.8e-6}}},
      // Problems that `tiled` should gain less than 3 % on lost on average (docs/notebook/gpu.md, "Small tiles").
      .tiled_margin = 1.03,
      // unaligned: fitted
      .interleave = {.share = 0.98,             // not kept
                     .start_seconds = 7.03e-7,  // fitted
                     .jump_bytes = 96,          // not kept
                     .unaligned = {.bytes_per_second = 5.52e12,
                                   .sectors_per_second = 1.74e11,
                                   .instructions_per_cycle = 2.59,
                                   .wavefronts_per_cycle = 0.608,
                                   .tile_seconds = 3.52e-7,
                                   .sharpness = 16,
                                   .lone_block_share = 0.0731,
                                   .start_seconds = 1.48e-6}},
      // 47,000 timed launches, not kept: 655 problems in up to 180 tiles each
      .unaligned = {{{.bytes_per_second = kNoByteLimit,
                      .sectors_per_second = 1.89e11,
                      .instructions_per_cycle = 4.1,
                      .wavefronts_per_cycle = kNoWavefrontLimit,
                      .tile_seconds = 3.28e-6,
                      .sharpness = 2.16,
                      .lone_block_share = 0.001,
                      .start_seconds = 5.09e-6},
                     {.bytes_per_second = kNoByteLimit,
                      .sectors_per_second = kNoSectorLimit,
                      .instructions_per_cycle = 3.76,
                      .wavefronts_per_cycle = kNoWavefrontLimit,
                      .tile_seconds = 2.9e-6,
                      .sharpness = 1.44,
                      .lone_block_share = 0.001,
                      .start_seconds = 2.92e-6}}},
      // the same launches
      .gather = {{{.bytes_per_second = kNoByteLimit,
                   .sectors_per_second = 2.87e11,
                   .instructions_per_cycle = 5.77,
                   .wavefronts_per_cycle = 2.17,
                   .tile_seconds = 5.4e-7,
                   .sharpness = 2.1,
                   .lone_block_share = 0.921,
                   .start_seconds = 7.22e-6},
                  {.bytes_per_second = 4.95e12,
                   .sectors_per_second = 1.79e11,
                   .instructions_per_cycle = 4.6,
                   .wavefronts_per_cycle = 1.55,
                   .tile_seconds = 2.29e-6,
                   .sharpness = 4.7,
                   .lone_block_share = 0.581,
                   .start_seconds = 5.08e-6},
                  {.bytes_per_second = 5.26e12,
                   .sectors_per_second = 2.55e11,
                   .instructions_per_cycle = 4.67,
                   .wavefronts_per_cycle = 5.74,
                   .tile_seconds = 5e-8,
                   .sharpness = 2.36,
                   .lone_block_share = 0.405,
                   .start_seconds = 4.03e-6},
                  {.bytes_per_second = 5.26e12,
                   .sectors_per_second = kNoSectorLimit,
                   .instructions_per_cycle = 5.72,
                   .wavefronts_per_cycle = kNoWavefrontLimit,
                   .tile_seconds = 1.02e-6,
                   .sharpness = 1.53,
                   .lone_block_share = 0.383,
                   .start_seconds = 4.39e-6},
                  {.bytes_per_second = 5.33e12,
                   .sectors_per_second = kNoSectorLimit,
                   .instructions_per_cycle = 7.27,
                   .wavefronts_per_cycle = kNoWavefrontLimit,
                   .tile_seconds = 7.29e-7,
                   .sharpness = 1.3,
                   .lone_block_share = 0.351,
                   .start_seconds = 3.34e-6}}},
      // the operations without a permutation in bench/results/h200-operations.json.gz
      .convert = {.written = 1.1,
                  .wide = 1.1,
                  .third_access = 1.5,  // an access besides one load and one store
                  .typed = 6,           // not kept, as the next two
                  .to_8_bit_float = 14,
                  .selecting = 20},
      // bench/results/h200-operations.json.gz. Estimates are within 7 % of the times there, except for 8-bit floats, which
      // were not fitted.
      .quantize = {.pairs = 10,
                   .floats = 21,
                   .amax_pairs = 3,   // counted in the source, not fitted
                   .amax_floats = 6,  // the same
                   .rows = 9.8,
                   .columns = 12,
                   .scales = 2.5},
      // Rough. In bench/results/h200-inplace.json.gz aligned vectors reach 0.84 to 0.98 and runs 0.26 to 0.96. Single
      // elements that are transposed were not measured.
      .swap = {.vectors = 0.9,
               .elements = 0.7,
               .row = 0.5,
               .row_per_byte = 0.15,
               .most_row = 0.8,
               .small_run = 0.2,
               .small_run_per_byte = 0.1,
               .word_run = 0.65,
               .double_run = 0.75,
               .odd_units = 0.6,
               .even_units = 0.74,
               .full_units = 0.82,
               .unaligned_slots = 0.5,  // not kept, as the next four
               .unaligned_slots_per_byte = 0.2,
               .most_unaligned_slots = 0.88,
               .half_unaligned_slots = 8,
               .unit_slots = 0.93},
      // Rough. Aligned panels: all chunkings of 26 skinny matrices (docs/notebook/gpu.md, "Barriers of clusters"), not kept.
      // The exchange: docs/notebook/gpu.md, "Panels that exchange their slots at once". The others: not kept.
      .panels = {.aligned = {.pair = 0.86, .large_pair = 0.82, .single = 0.82, .large_single = 0.71},
                 .unaligned_single = 0.85,
                 .unaligned_bytes = 0.68,
                 .unaligned_pairs = 0.82,
                 .unaligned_others = 0.93,
                 .computed = 0.6,  // about twice the instructions
                 .resident = 2,
                 .wave_seconds = 2e-6,
                 .exchanged_after = 0.6,
                 .exchanged_before = 0.55,
                 .half_row = 30,
                 .half_count = 20,
                 .broken_lines = 0.9,
                 .large_exchange = 0.92,
                 // The largest panel fills 16 SMs. So half of it fills 16 blocks, two on an SM, and a quarter fills 8 such
                 // blocks. The limits are a little lower, because each block reserves shared memory and pads its rows.
                 .most_of_small = 0.24,
                 .most_of_pair = 0.48},
      // Rough: the same matrices, with parts of 64 to 1024 bytes
      .boxes = {.aligned = {.pair = 0.89, .large_pair = 0.86, .single = 0.86, .large_single = 0.77},
                .unaligned = {.pair = 0.76, .large_pair = 0.72, .single = 0.6, .large_single = 0.53},
                .half_aligned = 24,
                .half_unaligned = 10,
                .half_per_element = 250,
                // Most chunks that leave indices were slower than whole chunks if their estimate was less than 6 % lower.
                .remainder = 1.06},
      // bench/results/h200-ladder.json.gz and, of the L2 cache's sectors, h200-line-pieces.json.gz
      .predictions = {.resources = {.bytes_per_second = 4.28e12,
                                    .sectors_per_second = 7.23e12 / kSectorBytes,
                                    .instructions_per_cycle = 4,
                                    .wavefronts_per_cycle = 1,
                                    .sharpness = 10,
                                    .last = last_wave::partial},
                      .copy_start_seconds = 0.33e-6,
                      .load_seconds = 0.79e-6,
                      .shared_memory_seconds = 0.18e-6,
                      .tma_box_seconds = 0.17e-6,
                      .source_order_factor = 1.06,
                      .stored_sector = 1.6,
                      .far_sectors = 7,
                      .swizzled_request = 0.75,
                      .warp_instructions = 100,
                      .request_instructions = 5.8,
                      .own_registers = 44}};
}

}  // namespace

gpu_model const& h200_model() {
  static constinit fork_safe_static<gpu_model const> model;
  return model.get(fitted);
}

}  // namespace cornerturn
