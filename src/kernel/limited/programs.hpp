#pragma once

#include <cstring>

#include "kernel/limited/limited.hpp"
#include "kernel/limited/plan.hpp"
#include "tile/elements.hpp"

namespace cornerturn {

/// Calls visit(program, kernel arguments, blocks, bytes of shared memory) with the tile program of a plan.
template <class Visit>
void visit_program(limited_plan const& plan, void const* source, void* destination, Visit const& visit) {
  auto const& copy = plan.copy;
  visit_element(copy.element_size, [&]<class T>(T pad) {
    std::memcpy(&pad, plan.pad.data(), sizeof(T));
    tile::limited_args<T> const args{static_cast<T const*>(source) + copy.source_offset,
                                     static_cast<T*>(destination) + copy.destination_offset,
                                     pad,
                                     limited_job{copy.job, plan.axes},
                                     {source, plan.source_swizzle},
                                     {destination, plan.destination_swizzle}};
    visit(tile::limited<T, limited_plan::kDepth>{}, args, copy.blocks, 0);
  });
}

}  // namespace cornerturn
