#pragma once

#include <iterator>

#include "kernel/flat/flat.hpp"
#include "kernel/flat/plan.hpp"
#include "tile/elements.hpp"
#include "tile/visit_index.hpp"

namespace cornerturn {

/// Calls visit(program, kernel arguments, blocks, bytes of shared memory) with the tile program of a plan.
template <class Visit>
void visit_program(flat_plan const& plan, void const* source, void* destination, Visit const& visit) {
  visit_element(plan.element_size, [&]<class T>(T) {
    visit_index<int(std::size(kFlatForms))>(plan.form, [&]<int Form>() {
      visit_index<int(std::size(kFlatTiles))>(plan.tile, [&]<int Tile>() {
        using program = tile::flat<T, kFlatForms[Form].row_digits, kFlatForms[Form].col_digits, kFlatTiles[Tile]>;
        using job_type = typename program::job_type;
        tile::flat_args<T, job_type> const args{static_cast<T const*>(source) + plan.source_offset,
                                                static_cast<T*>(destination) + plan.destination_offset, job_type(plan.job)};
        visit(program{}, args, plan.blocks, program::kSharedBytes);
      });
    });
  });
}

}  // namespace cornerturn
