#include "block/sizes.hpp"
#include "kernel/boxes/plan.hpp"

namespace cornerturn {

/// Each byte is read once and written once. Shorter parts, clusters of 16 blocks, single blocks on an SM and parts that begin
/// within a unit are slower. Units at the ends of parts are moved element by element.
launch_work work_of(boxes_plan const& plan, gpu_model const& gpu) {
  auto const& shares = gpu.boxes;
  bool const is_aligned = plan.element_size == kUnitBytes,
             has_pair = resident_blocks({.threads = kBoxesThreads, .shared_bytes = double(plan.shared_bytes)}, gpu.limits) >= 2;
  double const half = is_aligned ? shares.half_aligned : shares.half_unaligned + shares.half_per_element / plan.element_size;
  double const part = plan.part_bytes(),
               longest = (is_aligned ? shares.aligned : shares.unaligned).of(plan.job.cluster.divisor, has_pair);
  return {.bytes = 2 * double(plan.bytes), .share = share_of_copy(longest, part, half), .tiles = double(plan.blocks)};
}

kernel_rates rates_of(boxes_plan const&, gpu_model const& gpu) { return gpu.copies; }

}  // namespace cornerturn
