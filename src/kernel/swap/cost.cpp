#include "kernel/cost.hpp"
#include "kernel/swap/plan.hpp"

namespace cornerturn {

/// Each byte is read once and written once. The shares of a copy's speed are rough: on an H200, aligned vectors reach 0.84 to 0.98 and
/// runs 0.26 to 0.81 (bench/results/h200-inplace.json); single elements were not measured.
double expected_seconds(swap_plan const& plan, gpu_model const& gpu) {
  double const share = plan.form == swap_form::vectors ? 0.9 : plan.form == swap_form::elements ? 0.7 : 0.5;
  return 2 * plan.bytes() / (gpu.copy_bytes_per_second * share) * wave_quantization(plan.blocks, gpu) + gpu.start_seconds;
}

}  // namespace cornerturn
