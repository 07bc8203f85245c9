#include <algorithm>

#include "kernel/cost.hpp"
#include "kernel/swap/plan.hpp"

namespace cornerturn {

namespace {

/// The share of a copy's speed with which runs of elements of 1, 2, 4, 8 or 16 bytes are swapped one by one. Runs that share
/// sectors with other runs are slower. Small elements are slower, because a thread moves the same number of elements of any size.
double share_of_runs(swap_plan const& plan) {
  if (plan.element_size >= 16) return plan.job.run % 2 ? 0.6 : plan.job.run == 2 || plan.job.run % 8 == 0 ? 0.82 : 0.74;
  return plan.element_size >= 8 ? 0.75 : plan.element_size >= 4 ? 0.65 : 0.2 + 0.1 * plan.element_size;
}

}  // namespace

/// Each byte is read once and written once. The shares of a copy's speed are rough: on an H200, aligned vectors reach 0.84 to
/// 0.98 and runs 0.26 to 0.96 (bench/results/h200-inplace.json.gz); single elements that are transposed were not measured.
double expected_seconds(swap_plan const& plan, gpu_model const& gpu) {
  double const share = plan.form == swap_form::vectors    ? 0.9
                       : plan.form == swap_form::elements ? 0.7
                       : plan.form == swap_form::rows     ? std::min(0.8, 0.5 + 0.15 * plan.element_size)
                                                          : share_of_runs(plan);
  return 2 * plan.bytes() / (gpu.copy_bytes_per_second * share) * wave_quantization(plan.blocks, gpu) + gpu.start_seconds;
}

}  // namespace cornerturn
