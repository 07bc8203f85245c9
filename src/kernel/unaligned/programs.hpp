#pragma once

#include "kernel/unaligned/plan.hpp"
#include "kernel/unaligned/unaligned.hpp"
#include "tile/elements.hpp"

namespace cornerturn::tile {

/// Calls visit(program) with the program of one of the compiled tiles.
template <class T, class Visit>
void visit_unaligned(int which, Visit const& visit) {
  constexpr int kSize = int(sizeof(T));
  if (which == 0) return visit(unaligned<T, unaligned_tile_of(kSize, 0)>{});
  if (which == 1) return visit(unaligned<T, unaligned_tile_of(kSize, 1)>{});
  if constexpr (unaligned_tiles(kSize) == 4)
    if (which == 3) return visit(unaligned<T, unaligned_tile_of(kSize, 3)>{});
  visit(unaligned<T, unaligned_tile_of(kSize, 2)>{});
}

}  // namespace cornerturn::tile

namespace cornerturn {

/// Calls visit(program, kernel arguments, blocks, bytes of shared memory) with the tile program of a plan.
template <class Visit>
void visit_program(unaligned_plan const& plan, void const* source, void* destination, Visit const& visit) {
  visit_element(plan.element_size, [&]<class T>(T) {
    if constexpr (sizeof(T) <= 2) {
      auto const args = tile::kernel_args<T, unaligned_job>::over(
          static_cast<T const*>(source) + plan.source_offset, static_cast<T*>(destination) + plan.destination_offset, plan.job);
      tile::visit_unaligned<T>(
          plan.tile, [&]<class Program>(Program program) { visit(program, args, plan.job.tiles, Program::kSharedBytes); });
    }
  });
}

}  // namespace cornerturn
