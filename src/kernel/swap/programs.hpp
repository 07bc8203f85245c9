#pragma once

#include "kernel/swap/plan.hpp"
#include "kernel/swap/swap.hpp"
#include "kernel/swap/swap_rows.hpp"
#include "kernel/swap/swap_runs.hpp"
#include "tile/elements.hpp"

namespace cornerturn::tile {

/// Calls visit(program) with the program of a form.
template <class T, class Visit>
void visit_swap(swap_form form, Visit const& visit) {
  constexpr int kSize = int(sizeof(T));
  if (form == swap_form::runs)
    visit(swap_runs<T>{});
  else if (form == swap_form::vectors)
    visit(swap<T, swap_tile_of(kSize, true), 16 / kSize>{});
  else if constexpr (kSize < 16)
    form == swap_form::rows ? visit(swap_rows<T>{}) : visit(swap<T, swap_tile_of(kSize, false), 1>{});
}

}  // namespace cornerturn::tile

namespace cornerturn {

/// Calls visit(program, kernel arguments, blocks, bytes of shared memory) with the tile program of a plan, whose source and
/// destination are one array.
template <class Visit>
void visit_program(swap_plan const& plan, void const*, void* data, Visit const& visit) {
  visit_element(plan.element_size, [&]<class T>(T) {
    tile::swap_args<T> const args{static_cast<T*>(data) + plan.offset, plan.job};
    tile::visit_swap<T>(plan.form, [&]<class Program>(Program program) {
      if constexpr (requires { Program::kSharedBytes; })
        visit(program, args, plan.blocks, Program::kSharedBytes);
      else
        visit(program, args, plan.blocks, plan.shared_bytes);
    });
  });
}

}  // namespace cornerturn
