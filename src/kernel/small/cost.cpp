#include "kernel/small/plan.hpp"

namespace cornerturn {

launch_work work_of(small_plan const& plan, gpu_model const& gpu) {
  return {.bytes = 2.0 * plan.blocks * plan.shape().rows * plan.shape().cols * plan.element_size,
          .share = gpu.small.share,
          .tiles = double(plan.blocks)};
}

/// The small kernel starts earlier than a rung, but has fewer bytes in flight.
kernel_rates rates_of(small_plan const&, gpu_model const& gpu) {
  auto result = gpu.copies;
  result.early_seconds = gpu.small.early_seconds;
  result.last = last_wave::overlaps;
  return result;
}

}  // namespace cornerturn
