#include <algorithm>

#include "kernel/boxes/plan.hpp"
#include "kernel/cost.hpp"

namespace cornerturn {

/// Each byte is read once and written once. Shorter parts, clusters of 16 blocks, single blocks on an SM and parts that begin
/// within a unit are slower. The shares of a copy's speed are rough; they follow runs on an H200 with parts of 64 to 1024 bytes.
double expected_seconds(boxes_plan const& plan, gpu_model const& gpu) {
  bool const is_aligned = plan.element_size == kUnitBytes;
  // Parts of this number of bytes reach half of the share of long parts. Units at the ends of parts are moved element by element.
  double const half = is_aligned ? 24 : 10 + 250.0 / plan.element_size;
  bool const has_pair = resident_blocks(plan.shared_bytes, kBoxesThreads, gpu.limits) >= 2, is_large = plan.job.cluster.divisor > 8;
  double const part = plan.part_bytes(),
               longest = is_aligned ? (has_pair ? (is_large ? 0.86 : 0.89) : (is_large ? 0.77 : 0.86))
                                    : (has_pair ? (is_large ? 0.72 : 0.76) : (is_large ? 0.53 : 0.6));
  double const share = longest * part / (part + half);
  return 2 * double(plan.bytes) / (gpu.copy_bytes_per_second * share) * wave_quantization(plan.blocks, gpu) + gpu.start_seconds;
}

}  // namespace cornerturn
