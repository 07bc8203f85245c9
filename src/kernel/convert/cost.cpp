#include <algorithm>
#include <bit>

#include "block/sizes.hpp"
#include "kernel/convert/plan.hpp"

namespace cornerturn {

double expected_seconds(convert_plan const& plan, gpu_model const& gpu) {
  auto each = demand_of(plan, plan.sizes, plan.widths(), kConvertThreads, gpu);
  double const elements = double(plan.blocks) * plan.elements;
  bool const reads = plan.operation.beta != 0.0;
  // Reading the destination adds the sectors of a third access to those of the source and of the destination.
  if (reads) each.bytes += elements * double(plan.sizes.destination), each.sectors *= 1.5;
  // A warp changes 32 elements by a few instructions, or by many that select the types.
  constexpr double kTyped = 6, kSelecting = 120;
  each.instructions += elements / kWarp * (plan.selects_types() ? kSelecting : kTyped);
  return seconds_of(each, gpu.tiled.at(std::size_t(std::countr_zero(std::uint64_t(plan.sizes.source)))), gpu);
}

}  // namespace cornerturn
