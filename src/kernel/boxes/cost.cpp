#include <algorithm>

#include "kernel/boxes/plan.hpp"
#include "kernel/cost.hpp"

namespace cornerturn {

/// Each byte is read once and written once. Shorter parts, clusters of 16 blocks, single blocks on an SM and parts that begin
/// within a unit are slower. The shares of a copy's speed are rough; those of unaligned parts follow runs on an H200.
double expected_seconds(boxes_plan const& plan, gpu_model const& gpu) {
  bool const is_aligned = plan.element_size == kUnitBytes;
  double const half = is_aligned ? 24 : 100;  // bytes of parts that reach half of the share of long ones
  bool const has_pair = resident_blocks(plan.shared_bytes, kBoxesThreads, gpu.limits) >= 2;
  double const part = plan.part_bytes(),
               by_cluster = !has_pair                      ? 0.79
                            : plan.job.cluster.divisor > 8 ? 0.87
                                                           : 0.93,
               by_unit = is_aligned               ? 1
                         : plan.element_size >= 4 ? 0.84
                         : plan.element_size == 2 ? 0.72
                                                  : 0.65;
  double const share = by_cluster * by_unit * part / (part + half);
  return 2 * double(plan.bytes) / (gpu.copy_bytes_per_second * share) * wave_quantization(plan.blocks, gpu) + gpu.start_seconds;
}

}  // namespace cornerturn
