#include "kernel/convert/factors.hpp"
#include "kernel/convert/plan.hpp"
#include "launch/group_blocks.hpp"
#include "problem/element_types.hpp"

namespace cornerturn {

std::vector<block_class> classes_of(convert_plan const& plan, array_addresses const&) {
  if (!is_affine(plan.operation)) return classes_of(plan, plan.sizes);
  // Blocks whose tiles have equal accesses may load factors at different offsets in a cache line.
  return grouped(plan.blocks, [&](std::int64_t index, block_kind& kind) {
    auto const array = plan.sources.place_of(index);
    write_kind(plan, plan.sizes, array.index, kind);
    kind.push_back(in_line(factor_of_tile(plan.job, plan.factors, int(array.index)) * std::int64_t(sizeof(float))));
    kind.push_back(in_line(array.source)), kind.push_back(in_line(array.destination * plan.sizes.destination));
  });
}

}  // namespace cornerturn
