#include <algorithm>

#include "kernel/limited/plan.hpp"
#include "tile/decoded_index.hpp"

namespace cornerturn {

/// The elements of a run are equally far apart along both limited axes, so a limit is between two of them at most.
std::vector<block_class> classes_of(limited_plan const& plan, array_addresses const&) {
  auto const& job = plan.copy.job;
  auto const& [limits, steps] = plan.axes;
  return classes_of(plan.copy, {plan.source_swizzle.period(), plan.destination_swizzle.period()},
                    [&](std::vector<std::int64_t>& kind, direct_run const& run) {
                      for (std::size_t axis = 0; axis < limits.size(); ++axis) {
                        std::int64_t index = 0;
                        auto const add = [&](int digit, int value) {
                          index += std::int64_t(value) * steps[std::size_t(digit)][axis];
                        };
                        tile::visit_digits(job, job.part_digits, run.part, add);
                        tile::visit_digits(job, job.element_digits, run.first, add);
                        std::int64_t const step = steps.front()[axis], left = limits[axis].end - index, count = run.count;
                        // The number of elements before the limit, or after it if indices fall.
                        auto const before = step > 0   ? (std::max<std::int64_t>(left, 0) + step - 1) / step
                                            : step < 0 ? -(std::max<std::int64_t>(-left + 1, 0) + -step - 1) / -step
                                                       : (left > 0 ? count : 0);
                        kind.push_back(std::clamp(before, -count, count));
                      }
                    });
}

}  // namespace cornerturn
