#include <algorithm>

#include "kernel/boxes/plan.hpp"
#include "kernel/cost.hpp"

namespace cornerturn {

/// Each byte is read once and written once. The shares of a copy's speed are guesses that follow those of `panels` and of
/// `swap_runs`: shorter parts, clusters of 16 blocks, single blocks on an SM and elements that are no vectors are slower.
double expected_seconds(boxes_plan const& plan, gpu_model const& gpu) {
  constexpr double kHalf = 24;  // bytes of parts that reach half of the share of long ones
  bool const has_pair = resident_blocks(plan.shared_bytes, kBoxesThreads, gpu.limits) >= 2;
  double const part = plan.part_bytes(),
               by_cluster = !has_pair                      ? 0.79
                            : plan.job.cluster.divisor > 8 ? 0.87
                                                           : 0.93,
               by_element = plan.element_size == 16 ? 1 : std::min(0.8, 0.2 + 0.1 * plan.element_size);
  double const share = by_cluster * by_element * part / (part + kHalf);
  return 2 * double(plan.bytes) / (gpu.copy_bytes_per_second * share) * wave_quantization(plan.blocks, gpu) + gpu.start_seconds;
}

}  // namespace cornerturn
