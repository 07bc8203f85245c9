#pragma once

#include <cstddef>

#include "kernel/swizzled/plan.hpp"
#include "kernel/swizzled/swizzled.hpp"
#include "tile/elements.hpp"
#include "tile/visit_index.hpp"

namespace cornerturn {

/// Calls visit(program, kernel arguments, blocks, bytes of shared memory) with the tile program of a plan.
template <class Visit>
void visit_program(swizzled_plan const& plan, void const* source, void* destination, Visit const& visit) {
  visit_element(plan.element_size, [&]<class T>(T) {
    tile::swizzled_args<T> const args{
        {static_cast<T const*>(source) + plan.source_offset, static_cast<T*>(destination) + plan.destination_offset, plan.job},
        {source, plan.source_swizzle},
        {destination, plan.destination_swizzle}};
    constexpr auto kWidths = tiled_widths_of(sizeof(T));
    visit_index<int(kWidths.size())>(plan.program, [&]<int I>() {
      constexpr auto kEach = kWidths[std::size_t(I)];
      visit(tile::swizzled_tiles<T, kEach.load, kEach.rows, kEach.store>{}, args, plan.blocks, plan.shared_bytes);
    });
  });
}

}  // namespace cornerturn
