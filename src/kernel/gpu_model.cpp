#include "kernel/gpu_model.hpp"

#include <fmt/format.h>

#include "problem/fork_safe_static.hpp"

namespace cornerturn {
namespace {

/// The attributes are those that CUDA reports. The rates of `gather`, `unaligned` and `interleave` were fitted to 47,000 timed
/// launches: 655 problems in up to 180 tiles each. The rates of rungs were fitted to bench/results/h200-ladder.json.
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
                     .reserved_shared_bytes = 1 << 10},
          .clock_hz = 1.755e9,
          .copy_bytes_per_second = 4.4e12,
          .cached_bytes = 60e6,
          .few_tiles_bytes = 32 << 20,
          .start_seconds = 3.3e-6,
          .small_lead_seconds = 0.5e-6,
          .block_seconds = 2e-6,
          .split_row_seconds = 25e-12,
          .gather = {{{8e12, 2.87e11, 5.77, 2.17, 5.4e-7, 2.1, 0.921, 7.22e-6},
                      {4.95e12, 1.79e11, 4.6, 1.55, 2.29e-6, 4.7, 0.581, 5.08e-6},
                      {5.26e12, 2.55e11, 4.67, 5.74, 5e-8, 2.36, 0.405, 4.03e-6},
                      {5.26e12, 1e14, 5.72, 8, 1.02e-6, 1.53, 0.383, 4.39e-6},
                      {5.33e12, 1e14, 7.27, 8, 7.29e-7, 1.3, 0.351, 3.34e-6}}},
          .unaligned = {{{8e12, 1.89e11, 4.1, 8, 3.28e-6, 2.16, 0.001, 5.09e-6},
                         {8e12, 1e14, 3.76, 8, 2.9e-6, 1.44, 0.001, 2.92e-6}}},
          .interleave = {4.74e12, 1.61e11, 4.64, 1.3, 5.03e-6, 12.1, 1.02, 5.83e-6},
          .rungs = {.dram_bytes_per_second = 4.28e12,
                    .l2_bytes_per_second = 4.62e12,
                    .copy_start_seconds = 0.33e-6,
                    .load_seconds = 0.79e-6,
                    .shared_memory_seconds = 0.18e-6,
                    .tma_box_seconds = 0.17e-6}};
}

}  // namespace

gpu_model const& h200_model() {
  static constinit fork_safe_static<gpu_model const> model;
  return model.get(fitted);
}

/// Rates of bytes scale with the memory bandwidth. Rates of sectors scale with the number of SMs and their clock, because the L2
/// cache serves a few bytes per cycle to each SM. Instructions and wavefronts are counted per cycle of an SM. Latencies are
/// assumed to be the H200's.
gpu_model model_for(gpu_attributes const& card) {
  auto result = h200_model();
  auto const known = result.limits;
  if (card.name == known.name) return result;
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
  result.few_tiles_bytes *= sms;
  result.split_row_seconds /= memory;
  auto const scale = [&](kernel_rates& rates) {
    rates.bytes_per_second *= memory;
    rates.sectors_per_second *= sms * clock;
  };
  for (auto& each : result.gather) scale(each);
  for (auto& each : result.unaligned) scale(each);
  scale(result.interleave);
  result.rungs.dram_bytes_per_second *= memory;
  result.rungs.l2_bytes_per_second *= sms * clock;
  return result;
}

}  // namespace cornerturn
