#include "kernel/small/plan.hpp"

namespace cornerturn {
namespace {

constexpr double kElementBlocks = 8;  ///< blocks of the tile of elements on an SM

}  // namespace

launch_work work_of(small_plan const& plan, gpu_model const& gpu) {
  return {.bytes = 2.0 * plan.blocks * plan.shape().rows * plan.shape().cols * plan.element_size,
          .share = gpu.small.share,
          .tiles = double(plan.blocks),
          .resident = plan.vector() > 1 ? 1 : kElementBlocks};
}

/// The small kernel starts earlier than a rung, but has fewer bytes in flight.
kernel_rates rates_of(small_plan const& plan, gpu_model const& gpu) {
  auto result = gpu.copies;
  if (plan.vector() > 1) {
    result.early_seconds = gpu.small.early_seconds;
    result.last = last_wave::overlaps;
  } else {
    result.start_seconds = gpu.small.element_start_seconds;
    result.wave_seconds = gpu_model::of_size(gpu.small.elements, plan.element_size).wave_seconds;
    result.last = last_wave::partial;
  }
  return result;
}

}  // namespace cornerturn
