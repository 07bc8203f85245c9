#include <cmath>

#include "kernel/cost.hpp"
#include "kernel/small/plan.hpp"

namespace cornerturn {

/// The small kernel starts earlier than a rung, but has fewer bytes in flight.
double expected_seconds(small_plan const& plan, gpu_model const& gpu) {
  double const bytes = 2.0 * plan.blocks * plan.shape().rows * plan.shape().cols * plan.element_size;
  constexpr double kShare = 0.94;  // share of a copy's speed
  return bytes / (gpu.copy_bytes_per_second * kShare) * std::sqrt(wave_quantization(plan.blocks, gpu)) + gpu.start_seconds -
         gpu.small_lead_seconds;
}

}  // namespace cornerturn
