#include "kernel/cost.hpp"
#include "kernel/swap/plan.hpp"

namespace cornerturn {

namespace {

/// The share of a copy's speed with which elements of 1, 2, 4, 8 or 16 bytes are swapped run by run.
double share_of_runs(int element_size) { return element_size >= 16 ? 0.88 : element_size >= 8 ? 0.75 : 0.125 * element_size; }

}  // namespace

/// Each byte is read once and written once. The shares of a copy's speed are rough: on an H200, aligned vectors reach 0.84 to
/// 0.98 and runs 0.26 to 0.96 (bench/results/h200-inplace.json); single elements of less than 4 bytes were not measured.
double expected_seconds(swap_plan const& plan, gpu_model const& gpu) {
  double const share = plan.form == swap_form::vectors    ? 0.9
                       : plan.form == swap_form::elements ? 0.7
                                                          : share_of_runs(plan.element_size);
  return 2 * plan.bytes() / (gpu.copy_bytes_per_second * share) * wave_quantization(plan.blocks, gpu) + gpu.start_seconds;
}

}  // namespace cornerturn
