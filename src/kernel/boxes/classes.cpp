#include "kernel/boxes/plan.hpp"
#include "launch/group_blocks.hpp"

namespace cornerturn {

/// A block's first run and its box determine where in a cache line each part begins. The blocks at the ends of the array load
/// some units by elements.
std::vector<block_class> classes_of(boxes_plan const& plan, array_addresses const& at) {
  return grouped(plan.blocks, [&](std::int64_t index, block_kind& kind) {
    box_part const part(plan.job, int(index));
    kind = {part.first,    part.runs,
            part.elements, in_line(std::int64_t(at.destination) + (plan.offset + part.offset) * plan.element_size),
            index == 0,    index >= plan.blocks - plan.job.cluster.divisor};
  });
}

}  // namespace cornerturn
