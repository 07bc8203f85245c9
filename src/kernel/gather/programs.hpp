#pragma once

#include "kernel/gather/gather.hpp"
#include "kernel/gather/plan.hpp"
#include "tile/elements.hpp"

namespace cornerturn::tile {

/// Calls visit(program) with the program of a form.
template <class T, class Visit>
void visit_gather(gather_form const& form, Visit const& visit) {
  constexpr int V = 16 / int(sizeof(T));
  auto const with = [&]<class Offset>(Offset) {
    if constexpr (V > 1)
      if (!form.single) return form.ragged ? visit(gather<T, Offset, V, true>{}) : visit(gather<T, Offset, V, false>{});
    visit(gather<T, Offset, 1, false>{});
  };
  form.wide ? with(std::int64_t{}) : with(std::int32_t{});
}

}  // namespace cornerturn::tile

namespace cornerturn {

/// Calls visit(program, kernel arguments, blocks, bytes of shared memory) with the tile program of a plan.
template <class Visit>
void visit_program(gather_plan const& plan, void const* source, void* destination, Visit const& visit) {
  visit_element(plan.element_size, [&]<class T>(T) {
    auto const args = tile::kernel_args<T, gather_job>::of(plan, source, destination);
    tile::visit_gather<T>(plan.form, [&](auto program) { visit(program, args, plan.job.tiles, plan.job.shared.bytes); });
  });
}

}  // namespace cornerturn
