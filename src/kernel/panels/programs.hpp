#pragma once

#include "kernel/panels/panels.hpp"
#include "kernel/panels/plan.hpp"
#include "tile/elements.hpp"

namespace cornerturn::tile {

/// Calls visit(program) with the program for aligned rows, or that for any rows. Elements of 16 bytes are always aligned.
template <class T, class Visit>
void visit_panels(bool is_aligned, Visit const& visit) {
  if (is_aligned)
    visit(panels<T, true>{});
  else if constexpr (sizeof(T) < 16)
    visit(panels<T, false>{});
}

}  // namespace cornerturn::tile

namespace cornerturn {

/// Calls visit(program, kernel arguments, blocks, bytes of shared memory) with the tile program of a plan. `flags` are those of
/// the panels, if panels are shifted.
template <class Visit>
void visit_program(panels_plan const& plan, void const* flags, void* data, Visit const& visit) {
  visit_element(plan.element_size, [&]<class T>(T) {
    tile::panels_args<T> const args{static_cast<T*>(data) + plan.offset, static_cast<int*>(const_cast<void*>(flags)), plan.job};
    tile::visit_panels<T>(plan.is_aligned, [&](auto program) { visit(program, args, plan.blocks, plan.shared_bytes); });
  });
}

}  // namespace cornerturn
