#include <cmath>

#include "block/sizes.hpp"
#include "kernel/panels/plan.hpp"

namespace cornerturn {
namespace {

/// The share of a copy's speed with which slots are transposed and exchanged. They are read and written 1.5 times. These take
/// longer: short rows of slots, rows that are not whole cache lines, clusters of 16 blocks, because a GPU runs few at a time, and
/// few panels, because the last ones exchange the most.
double exchange_share(panels_plan const& plan, panels_rates const& shares) {
  bool const is_after = plan.exchange == slot_exchange::after;
  auto const bytes = double(plan.exchanged_row()) * plan.element_size;
  auto const panels = double(plan.job.count.divisor);
  return share_of_copy(is_after ? shares.exchanged_after : shares.exchanged_before, bytes, shares.half_row) *
         (std::fmod(bytes, kLineBytes) == 0 ? 1 : shares.broken_lines) *
         (plan.job.cluster.divisor > 8 ? shares.large_exchange : 1) * panels / (panels + shares.half_count);
}

}  // namespace

/// Clusters of 16 blocks are slower. Unaligned rows are slower, too: more so if elements are small, and if an SM has room for one
/// block only, because instructions then alternate with loads.
double panels_share(int element_size, bool is_aligned, int cluster, bool has_pair, panels_rates const& shares) {
  double const aligned = shares.aligned.of(cluster, has_pair);
  if (is_aligned) return aligned;
  return aligned * (has_pair ? 1 : shares.unaligned_single) *
         (element_size == 1   ? shares.unaligned_bytes
          : element_size == 2 ? shares.unaligned_pairs
                              : shares.unaligned_others);
}

/// Each byte is read once and written once, except if slots are exchanged.
launch_work work_of(panels_plan const& plan, gpu_model const& gpu) {
  auto const& shares = gpu.panels;
  launch_work result{.bytes = 2 * double(plan.bytes), .tiles = double(plan.blocks), .resident = shares.resident};
  if (plan.exchange != slot_exchange::none) {
    result.share = exchange_share(plan, shares);
    return result;
  }
  double const threads = panels_threads_of(plan.element_size, plan.is_aligned);
  bool const has_pair = resident_blocks({.threads = threads, .shared_bytes = double(plan.shared_bytes)}, gpu.limits) >= 2;
  result.share = panels_share(plan.element_size, plan.is_aligned, plan.job.cluster.divisor, has_pair, shares) *
                 (plan.is_aligned || plan.job.step > 0 ? 1 : shares.computed);
  return result;
}

/// If panels are small, the latency of the blocks decides: each loads, waits and stores. If slots are exchanged, blocks wait for
/// one another.
kernel_rates rates_of(panels_plan const& plan, gpu_model const& gpu) {
  auto result = gpu.copies;
  if (plan.exchange == slot_exchange::none)
    result.wave_seconds = gpu.panels.wave_seconds;
  else
    result.last = last_wave::partial;
  return result;
}

}  // namespace cornerturn
