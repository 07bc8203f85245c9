#include "kernel/cost.hpp"
#include "kernel/swap/plan.hpp"

namespace cornerturn {

/// Each byte is read once and written once. The shares of a copy's speed are guesses until they are fitted to measurements.
double expected_seconds(swap_plan const& plan, gpu_model const& gpu) {
  double const share = plan.form == swap_form::vectors ? 0.9 : plan.form == swap_form::elements ? 0.7 : 0.5;
  return 2 * plan.bytes() / (gpu.copy_bytes_per_second * share) * wave_quantization(plan.blocks, gpu) + gpu.start_seconds;
}

}  // namespace cornerturn
