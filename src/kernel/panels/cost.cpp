#include <algorithm>

#include "kernel/cost.hpp"
#include "kernel/panels/plan.hpp"

namespace cornerturn {

/// Each byte is read once and written once. The shares of a copy's speed are rough. Aligned rows reach 0.92 to 0.98 in clusters
/// of up to 8 blocks, 0.84 to 0.91 in clusters of 16, and 0.76 to 0.83 where an SM has room for one block.
double expected_seconds(panels_plan const& plan, gpu_model const& gpu) {
  bool const has_pair = resident_blocks(plan.shared_bytes, panels_threads_of(plan.element_size), gpu.limits) >= 2;
  double const aligned = !has_pair                      ? 0.79
                         : plan.job.cluster.divisor > 8 ? 0.87
                                                        : 0.93,
               share = plan.is_aligned ? aligned : aligned * std::min(0.8, 0.1 + 0.13 * plan.element_size);
  return 2 * double(plan.bytes) / (gpu.copy_bytes_per_second * share) * wave_quantization(plan.blocks, gpu) + gpu.start_seconds;
}

}  // namespace cornerturn
