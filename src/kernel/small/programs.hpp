#pragma once

#include "kernel/small/plan.hpp"
#include "kernel/small/small.hpp"
#include "tile/elements.hpp"
#include "tile/visit_index.hpp"

namespace cornerturn::tile {

/// Calls visit(program) with the program of one of the compiled forms.
template <class T, class Visit>
void visit_small(int form, Visit const& visit) {
  constexpr auto kForms = small_forms_of(int(sizeof(T)));
  visit_index<int(kForms.size())>(form, [&]<int I>() {
    constexpr auto kForm = kForms[I];
    visit(small<T, kForm.tile, kForm.load, kForm.store>{});
  });
}

}  // namespace cornerturn::tile

namespace cornerturn {

/// Calls visit(program, kernel arguments, blocks, bytes of shared memory) with the tile program of a plan.
template <class Visit>
void visit_program(small_plan const& plan, void const* source, void* destination, Visit const& visit) {
  visit_element(plan.element_size, [&]<class T>(T) {
    tile::small_args<T> const args{static_cast<T const*>(source) + plan.source_offset,
                                   static_cast<T*>(destination) + plan.destination_offset, plan.job};
    tile::visit_small<T>(plan.form,
                         [&]<class Program>(Program program) { visit(program, args, plan.blocks, Program::kSharedBytes); });
  });
}

}  // namespace cornerturn
