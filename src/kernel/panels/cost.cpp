#include <algorithm>

#include "kernel/cost.hpp"
#include "kernel/panels/plan.hpp"

namespace cornerturn {

/// The shares are rough. Aligned rows reach 0.92 to 0.98 in clusters of up to 8 blocks, 0.84 to 0.91 in clusters of 16, and 0.76
/// to 0.83 if an SM has room for one block only. Rows that begin anywhere are slower, the smaller their elements are.
double panels_share(int element_size, bool is_aligned, int cluster, bool has_pair) {
  double const aligned = !has_pair ? 0.79 : cluster > 8 ? 0.87 : 0.93;
  return is_aligned ? aligned : aligned * std::min(0.9, 0.5 + 0.08 * element_size);
}

/// Each byte is read once and written once.
double expected_seconds(panels_plan const& plan, gpu_model const& gpu) {
  bool const has_pair = resident_blocks(plan.shared_bytes, panels_threads_of(plan.element_size), gpu.limits) >= 2;
  // elements whose addresses have no constant distance take about twice the instructions
  double const share = panels_share(plan.element_size, plan.is_aligned, plan.job.cluster.divisor, has_pair) *
                       (plan.is_aligned || plan.job.step > 0 ? 1 : 0.6);
  return 2 * double(plan.bytes) / (gpu.copy_bytes_per_second * share) * wave_quantization(plan.blocks, gpu) + gpu.start_seconds;
}

}  // namespace cornerturn
