#pragma once

#include "kernel/panels/exchange.hpp"
#include "kernel/panels/panels.hpp"
#include "kernel/panels/plan.hpp"
#include "tile/elements.hpp"

namespace cornerturn::tile {

/// Calls visit(program) with the program for aligned rows, or for any rows. Elements of 16 bytes are always aligned.
template <class T, class Visit>
void visit_panels(bool is_aligned, Visit const& visit) {
  if (is_aligned)
    visit(panels<T, true>{});
  else if constexpr (sizeof(T) < 16)
    visit(panels<T, false>{});
}

/// Calls visit(program) with the program that exchanges slots, for elements of 2, 4 and 8 bytes.
template <class T, class Visit>
void visit_panels_exchange(slot_exchange exchange, Visit const& visit) {
  if constexpr (sizeof(T) >= 2 && sizeof(T) <= 8) {
    if (exchange == slot_exchange::after)
      visit(panels_exchange<T, slot_exchange::after>{});
    else
      visit(panels_exchange<T, slot_exchange::before>{});
  }
}

}  // namespace cornerturn::tile

namespace cornerturn {

/// Calls visit(program, kernel arguments, blocks, bytes of shared memory) with the tile program of a plan. `flags` has the flags
/// of panels or blocks, if there are any.
template <class Visit>
void visit_program(panels_plan const& plan, void const* flags, void* data, Visit const& visit) {
  visit_element(plan.element_size, [&]<class T>(T) {
    tile::panels_args<T> const args{static_cast<T*>(data) + plan.offset, static_cast<int*>(const_cast<void*>(flags)), plan.job};
    auto const run = [&](auto program) { visit(program, args, plan.blocks, plan.shared_bytes); };
    if (plan.exchange == slot_exchange::none)
      tile::visit_panels<T>(plan.is_aligned, run);
    else
      tile::visit_panels_exchange<T>(plan.exchange, run);
  });
}

}  // namespace cornerturn
