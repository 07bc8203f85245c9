#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "kernel/direct/direct.hpp"
#include "kernel/direct/plan.hpp"
#include "tile/elements.hpp"
#include "tile/visit_index.hpp"

namespace cornerturn::tile {

/// Calls visit(program) with the program of a depth and a width of offsets.
template <class T, class Visit>
void visit_direct(int depth, bool wide, Visit const& visit) {
  if (wide) return visit(direct<T, std::int64_t, kWideDirectDepth>{});
  visit_index<int(std::size(kDirectDepths))>(int(std::ranges::find(kDirectDepths, depth) - std::begin(kDirectDepths)),
                                             [&]<int I>() { visit(direct<T, std::int32_t, kDirectDepths[I]>{}); });
}

}  // namespace cornerturn::tile

namespace cornerturn {

/// Calls visit(program, kernel arguments, blocks, bytes of shared memory) with the tile program of a plan.
template <class Visit>
void visit_program(direct_plan const& plan, void const* source, void* destination, Visit const& visit) {
  visit_element(plan.element_size, [&]<class T>(T) {
    tile::direct_args<T> const args{static_cast<T const*>(source) + plan.source_offset,
                                    static_cast<T*>(destination) + plan.destination_offset, plan.job};
    tile::visit_direct<T>(plan.depth, plan.wide, [&](auto program) { visit(program, args, plan.blocks, 0); });
  });
}

}  // namespace cornerturn
