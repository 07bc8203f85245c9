#include "block/sizes.hpp"
#include "kernel/limited/plan.hpp"

namespace cornerturn {

launch_work work_of(limited_plan const& plan, gpu_model const& gpu) {
  auto result = work_of(plan.copy, gpu);
  // Two products and sums for the indices of an element at each digit, and its comparisons.
  constexpr double kEachDigit = 4, kEachElement = 12;
  double const warps = double(plan.copy.blocks) * kDirectThreads / kWarp;
  result.instructions += warps * limited_plan::kDepth * (kEachElement + kEachDigit * plan.copy.job.element_digits.end);
  return result;
}

kernel_rates rates_of(limited_plan const&, gpu_model const& gpu) { return gpu.direct; }

}  // namespace cornerturn
