#pragma once

#include "kernel/unaligned/plan.hpp"
#include "kernel/unaligned/unaligned.hpp"
#include "tile/elements.hpp"
#include "tile/visit_index.hpp"

namespace cornerturn::tile {

/// Calls visit(program) with the program of one of the compiled tiles.
template <class T, class Visit>
void visit_unaligned(int which, Visit const& visit) {
  constexpr int kSize = int(sizeof(T));
  visit_index<unaligned_tiles(kSize)>(which, [&]<int I>() { visit(unaligned<T, unaligned_tile_of(kSize, I)>{}); });
}

}  // namespace cornerturn::tile

namespace cornerturn {

/// Calls visit(program, kernel arguments, blocks, bytes of shared memory) with the tile program of a plan.
template <class Visit>
void visit_program(unaligned_plan const& plan, void const* source, void* destination, Visit const& visit) {
  visit_element(plan.element_size, [&]<class T>(T) {
    if constexpr (sizeof(T) <= 2) {
      auto const args = tile::kernel_args<T, unaligned_job>::of(plan, source, destination);
      tile::visit_unaligned<T>(
          plan.tile, [&]<class Program>(Program program) { visit(program, args, plan.job.tiles, Program::kSharedBytes); });
    }
  });
}

}  // namespace cornerturn
