#include <algorithm>

#include "kernel/cost.hpp"
#include "kernel/panels/plan.hpp"

namespace cornerturn {

/// Each byte is read once and written once. The shares of a copy's speed are rough: vectors reach 0.88 to 0.98 where an SM has
/// two blocks, and 0.76 to 0.83 where it has one; single elements of 4 bytes reach 0.41 to 0.55.
double expected_seconds(panels_plan const& plan, gpu_model const& gpu) {
  bool const has_pair = resident_blocks(plan.shared_bytes, panels_threads_of(plan.element_size), gpu.limits) >= 2;
  double const with_vectors = has_pair ? 0.92 : 0.78,
               share = plan.has_vectors || plan.element_size == 16 ? with_vectors : std::min(0.65, 0.12 * plan.element_size);
  return 2 * double(plan.bytes) / (gpu.copy_bytes_per_second * share) * wave_quantization(plan.blocks, gpu) + gpu.start_seconds;
}

}  // namespace cornerturn
