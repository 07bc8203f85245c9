#include "kernel/gpu_model.hpp"

#include <fmt/format.h>

#include "base/fork_safe_static.hpp"

namespace cornerturn {
namespace {

/// Rates beyond what an H200 can reach. The fit gave them to kernels that the resource hardly ever limits.
constexpr double kNoByteLimit = 8e12, kNoSectorLimit = 1e14, kNoWavefrontLimit = 8;

/// The sources of the figures:
/// - `limits` are the attributes that CUDA reports for an H200. The name is what `model_for` compares.
/// - `clock_hz` is the SMs' clock in the timed launches, below the highest one that CUDA reports.
/// - `copy_bytes_per_second` times 0.98, the share of `copy` in rung/cost.cpp, is the speed of `copy` on large matrices in
///   bench/results/h200-ladder.json.gz. `cached_bytes` is about the size of the L2 cache.
/// - `gather`, `unaligned` and `interleave` were fitted to 47,000 timed launches: 655 problems in up to 180 tiles each.
/// - `direct` was fitted to its launches in bench/results/h200-candidates.json.gz.
/// - `tiled` was fitted to its launches in bench/results/h200-tiled.json.gz, so that the choice among all families is right.
/// - `rungs` was fitted to bench/results/h200-ladder.json.gz. `stored_line_share` follows from `naive-read` and `naive-write` there.
/// - `dram_access_bytes` is HBM3's.
/// - The other constants were fitted on an H200 as well. Their runs were not kept.
gpu_model fitted() {
  return {.name = "an H200",
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
          .clock_hz = 1.755e9,
          .copy_bytes_per_second = 4.4e12,
          .cached_bytes = 60e6,
          .few_tiles_bytes = 32 << 20,
          .start_seconds = 3.3e-6,
          .small_lead_seconds = 0.5e-6,
          .block_seconds = 2e-6,
          .split_row_seconds = 25e-12,
          .halved_row_share = 0.25,
          .dram_access_bytes = 64,
          .jump_bytes = 96,
          .write_window_bytes = 8 << 20,
          .stored_line_share = 0.28,
          .small_blocks = {1024, 2304},
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
          .interleave = {.bytes_per_second = 4.74e12,
                         .sectors_per_second = 1.61e11,
                         .instructions_per_cycle = 4.64,
                         .wavefronts_per_cycle = 1.3,
                         .tile_seconds = 5.03e-6,
                         .sharpness = 12.1,
                         .lone_block_share = 1.02,
                         .start_seconds = 5.83e-6},
          .direct = {.bytes_per_second = 5.5e12,
                     .sectors_per_second = 2.89e11,
                     .instructions_per_cycle = 4.73,
                     .wavefronts_per_cycle = 0.936,
                     .tile_seconds = 7e-8,
                     .sharpness = 2.3,
                     .lone_block_share = 1.77,
                     .start_seconds = 8.1e-7},
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
          .rungs = {.dram_bytes_per_second = 4.28e12,
                    .l2_bytes_per_second = 4.62e12,
                    .instructions_per_cycle = 4,
                    .copy_start_seconds = 0.33e-6,
                    .load_seconds = 0.79e-6,
                    .shared_memory_seconds = 0.18e-6,
                    .tma_box_seconds = 0.17e-6,
                    .source_order_factor = 1.06,
                    .far_sectors = 3.1,
                    .sharpness = 10}};
}

/// A card's attributes, with the H200's in place of the counts and sizes that CUDA does not report: estimates divide by them.
gpu_attributes completed(gpu_attributes card, gpu_attributes const& known) {
  for (auto const count : {&gpu_attributes::sm_count, &gpu_attributes::threads_per_sm, &gpu_attributes::registers_per_sm,
                           &gpu_attributes::blocks_per_sm, &gpu_attributes::shared_bytes_per_sm})
    if (card.*count <= 0) card.*count = known.*count;
  return card;
}

}  // namespace

gpu_model const& h200_model() {
  static constinit fork_safe_static<gpu_model const> model;
  return model.get(fitted);
}

gpu_model const& model_without_gpu() {
  static constinit fork_safe_static<gpu_model const> model;
  return model.get([] {
    auto result = h200_model();
    result.name += ", because no GPU can be used here";
    return result;
  });
}

/// Rates of bytes scale with the memory bandwidth. Rates of sectors scale with the number of SMs and their clock, because the L2
/// cache serves a few bytes per cycle to each SM. Instructions and wavefronts are counted per cycle of an SM. Numbers of blocks
/// scale with the SMs, and bytes in caches with the size of the L2 cache. Latencies, and the ratios of one cost to another, are
/// assumed to be the H200's.
gpu_model model_for(gpu_attributes const& reported) {
  auto result = h200_model();
  auto const known = result.limits;
  if (reported.name == known.name) return result;
  auto const card = completed(reported, known);
  auto const ratio = [](double own, double known, double otherwise) { return own > 0 ? own / known : otherwise; };
  double const sms = double(card.sm_count) / known.sm_count, clock = ratio(card.clock_hz, known.clock_hz, 1),
               memory = ratio(card.memory_bytes_per_second, known.memory_bytes_per_second, sms),
               l2 = ratio(card.l2_bytes, known.l2_bytes, sms);
  result.name = fmt::format("{}, scaled from {}", card.name, result.name);
  result.is_scaled = true;
  result.limits = card;
  result.clock_hz *= clock;
  result.copy_bytes_per_second *= memory;
  result.cached_bytes *= l2;
  result.write_window_bytes *= l2;
  result.few_tiles_bytes *= sms;
  for (auto& blocks : result.small_blocks) blocks *= sms;
  result.split_row_seconds /= memory;
  auto const scale = [&](kernel_rates& rates) {
    rates.bytes_per_second *= memory;
    rates.sectors_per_second *= sms * clock;
  };
  for (auto& each : result.gather) scale(each);
  for (auto& each : result.unaligned) scale(each);
  scale(result.interleave);
  scale(result.direct);
  for (auto& each : result.tiled) scale(each);
  return result;
}

}  // namespace cornerturn
