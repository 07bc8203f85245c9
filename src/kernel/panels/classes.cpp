#include <algorithm>

#include "kernel/panels/plan.hpp"
#include "launch/group_blocks.hpp"

namespace cornerturn {

/// A block's first row and the pitches determine where in a cache line each of its rows begins. If slots are exchanged, the
/// accesses also depend on the number of slots before the diagonal, and on the place of the panel's slots in other panels.
std::vector<block_class> classes_of(panels_plan const& plan, array_addresses const& at) {
  auto const size = std::int64_t(plan.element_size);
  return grouped(plan.blocks, [&](std::int64_t index, block_kind& kind) {
    panel_part const part(plan.job, int(index));
    kind = {part.slots, part.rows, part.columns};
    for (auto const elements : {part.source, part.destination})
      kind.push_back(in_line(std::int64_t(at.destination) + (plan.offset + elements) * size));
    if (plan.exchange != slot_exchange::none) {
      kind.push_back(std::clamp(part.index - part.first_slot, 0, part.slots));
      kind.push_back(in_line(part.index * plan.exchanged_row() * size));
    }
  });
}

}  // namespace cornerturn
