#include <algorithm>
#include <cmath>

#include "block/sizes.hpp"
#include "kernel/cost.hpp"
#include "kernel/panels/plan.hpp"

namespace cornerturn {
namespace {

/// The share of a copy's speed with which slots are transposed and exchanged. They are read and written 1.5 times. These take
/// longer: short rows of slots, rows that are not whole cache lines, clusters of 16 blocks, because a GPU runs few at a time, and
/// few panels, because the last ones exchange the most.
double exchange_share(panels_plan const& plan) {
  bool const is_after = plan.exchange == slot_exchange::after;
  auto const bytes = double(plan.exchanged_row()) * plan.element_size;
  auto const panels = double(plan.job.count.divisor);
  return (is_after ? 0.6 : 0.55) * bytes / (bytes + 30) * (std::fmod(bytes, kLineBytes) == 0 ? 1 : 0.9) *
         (plan.job.cluster.divisor > 8 ? 0.92 : 1) * panels / (panels + 20);
}

}  // namespace

/// The shares are rough, and follow runs on an H200. Clusters of 16 blocks are slower. Unaligned rows are slower, too: more so if
/// elements are small, and if an SM has room for one block only, because instructions then alternate with loads.
double panels_share(int element_size, bool is_aligned, int cluster, bool has_pair) {
  bool const is_large = cluster > 8;
  double const aligned = has_pair ? (is_large ? 0.82 : 0.86) : (is_large ? 0.71 : 0.82);
  if (is_aligned) return aligned;
  return aligned * (has_pair ? 1 : 0.85) * (element_size == 1 ? 0.68 : element_size == 2 ? 0.82 : 0.93);
}

/// Each byte is read once and written once, except if slots are exchanged. If panels are small, the latency of the blocks
/// decides: each loads, waits and stores.
double expected_seconds(panels_plan const& plan, gpu_model const& gpu) {
  auto const seconds_at = [&](double share) { return 2 * double(plan.bytes) / (gpu.copy_bytes_per_second * share); };
  if (plan.exchange != slot_exchange::none) return seconds_at(exchange_share(plan)) + gpu.start_seconds;
  bool const has_pair =
      resident_blocks(plan.shared_bytes, panels_threads_of(plan.element_size, plan.is_aligned), gpu.limits) >= 2;
  // elements whose addresses have no constant distance take about twice the instructions
  double const share = panels_share(plan.element_size, plan.is_aligned, plan.job.cluster.divisor, has_pair) *
                       (plan.is_aligned || plan.job.step > 0 ? 1 : 0.6);
  constexpr double kBlock = 2e-6, kResident = 2;  // seconds of a block, and blocks on an SM
  return std::max(seconds_at(share) * wave_quantization(plan.blocks, gpu),
                  plan.blocks / (kResident * gpu.limits.sm_count) * kBlock) +
         gpu.start_seconds;
}

}  // namespace cornerturn
