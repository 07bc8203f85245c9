#pragma once

#include "kernel/boxes/boxes.hpp"
#include "kernel/boxes/plan.hpp"
#include "tile/elements.hpp"

namespace cornerturn {

/// Calls visit(program, kernel arguments, blocks, bytes of shared memory) with the tile program of a plan. The source is unused.
template <class Visit>
void visit_program(boxes_plan const& plan, void const*, void* data, Visit const& visit) {
  visit_element(plan.element_size, [&]<class T>(T) {
    visit(tile::boxes<T>{}, tile::boxes_args<T>{static_cast<T*>(data) + plan.offset, plan.job}, plan.blocks, plan.shared_bytes);
  });
}

}  // namespace cornerturn
