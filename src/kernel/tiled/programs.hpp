#pragma once

#include <cstddef>

#include "kernel/tiled/plan.hpp"
#include "kernel/tiled/tiled.hpp"
#include "tile/elements.hpp"
#include "tile/visit_index.hpp"

namespace cornerturn::tile {

/// Calls visit(program) with the program of one of the compiled widths and numbers of threads.
template <class T, class Visit>
void visit_tiled(int widths, int threads, Visit const& visit) {
  constexpr auto kWidths = tiled_widths_of(sizeof(T));
  visit_index<int(kWidths.size())>(widths, [&]<int I>() {
    constexpr auto kEach = kWidths[std::size_t(I)];
    visit_index<2>(threads == kTiledThreads[1],
                   [&]<int J>() { visit(tiled<T, kEach.load, kEach.rows, kEach.store, kTiledThreads[J]>{}); });
  });
}

}  // namespace cornerturn::tile

namespace cornerturn {

/// Calls visit(program, kernel arguments, blocks, bytes of shared memory) with the tile program of a plan.
template <class Visit>
void visit_program(tiled_plan const& plan, void const* source, void* destination, Visit const& visit) {
  visit_element(plan.element_size, [&]<class T>(T) {
    tile::tiled_args<T> const args{static_cast<T const*>(source) + plan.source_offset,
                                   static_cast<T*>(destination) + plan.destination_offset, plan.job};
    tile::visit_tiled<T>(plan.program, plan.threads, [&](auto program) { visit(program, args, plan.blocks, plan.shared_bytes); });
  });
}

}  // namespace cornerturn
