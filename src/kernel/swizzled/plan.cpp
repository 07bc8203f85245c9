#include "kernel/swizzled/plan.hpp"

#include <algorithm>

#include "block/sizes.hpp"
#include "kernel/gather/plan.hpp"
#include "kernel/tiled/decisions.hpp"
#include "launch/group_blocks.hpp"
#include "tile/decoded_index.hpp"

namespace cornerturn {

std::vector<swizzled_plan> plan_swizzled(limited_problem const& canonical, alignment const& aligned, gpu_model const& gpu) {
  std::vector<swizzled_plan> result;
  if (!canonical.limits.empty() || (!canonical.source_swizzle && !canonical.destination_swizzle)) return result;
  for (auto const& each : tiled_plan::candidates(refit_elements(canonical.whole, aligned), aligned, gpu))
    if (each.threads == kTiledThreads[0]) result.push_back({each, canonical.source_swizzle, canonical.destination_swizzle});
  return result;
}

std::string_view idea_of(swizzled_plan const&) {
  return "small tiles of a few modes, as of tiled, between arrays whose byte offsets are swizzled";
}

std::string describe(swizzled_plan const& plan) { return "swizzled " + describe(static_cast<tiled_plan const&>(plan)); }

launch_work work_of(swizzled_plan const& plan, gpu_model const& gpu) {
  auto result = work_of(static_cast<tiled_plan const&>(plan), gpu);
  constexpr double kEachAccess = 6;  // instructions of a swizzle
  double const accesses = double(plan.job.loads) * plan.widths().rows + plan.job.stores;
  result.instructions += double(plan.blocks) * kEachAccess * accesses / kWarp;
  return result;
}

kernel_rates rates_of(swizzled_plan const& plan, gpu_model const& gpu) {
  return rates_of(static_cast<tiled_plan const&>(plan), gpu);
}

std::vector<block_class> classes_of(swizzled_plan const& plan, array_addresses const&) {
  return grouped(plan.blocks, [&](std::int64_t index, block_kind& kind) {
    write_kind(plan, element_sizes(plan.element_size), index, kind);
    tile::decoded_index<std::int64_t> const at(plan.job, plan.job.tile_digits, int(index));
    kind.push_back(in_line((plan.source_offset + at.source) * plan.element_size, plan.source_swizzle.period()));
    kind.push_back(in_line((plan.destination_offset + at.destination) * plan.element_size, plan.destination_swizzle.period()));
  });
}

plan_decisions<swizzled_plan> swizzled_plan::decisions() {
  return joined<swizzled_plan>(
      {{element_decision<swizzled_plan>(),
        {"loads", {"elements loaded", "vectors loaded"}, [](swizzled_plan const& plan) { return plan.widths().load > 1; }},
        {"stores", {"elements stored", "vectors stored"}, [](swizzled_plan const& plan) { return plan.widths().store > 1; }},
        {"source", {"plain source", "swizzled source"}, [](swizzled_plan const& plan) { return bool(plan.source_swizzle); }},
        {"destination",
         {"plain destination", "swizzled destination"},
         [](swizzled_plan const& plan) { return bool(plan.destination_swizzle); }}},
       {{"16 bytes", {"vectors loaded", "vectors stored"}, "an element is a vector"},
        {"elements loaded", {"1 byte", "2 bytes"}, "all compiled widths load several"},
        {"elements stored", {"1 byte", "2 bytes", "4 bytes"}, "all compiled widths store several"},
        {"plain source", {"plain destination"}, "a plan has a swizzle"}}},
      layout_decisions<swizzled_plan>());
}

}  // namespace cornerturn
