#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "kernel/direct/direct.hpp"
#include "kernel/direct/plan.hpp"
#include "tile/elements.hpp"
#include "tile/visit_index.hpp"

namespace cornerturn::tile {

/// Calls visit(program) with the program of a depth, a width of offsets and the digits of a short job.
template <class T, class Visit>
void visit_direct(int depth, bool wide, int short_digits, Visit const& visit) {
  if (wide) return visit(direct<T, std::int64_t, kWideDirectDepth>{});
  visit_index<int(std::size(kDirectDepths))>(int(std::ranges::find(kDirectDepths, depth) - std::begin(kDirectDepths)),
                                             [&]<int I>() {
                                               if constexpr (sizeof(T) >= kLeastSizeOfManyDigits)
                                                 if (short_digits == kShortDirectDigits[1])
                                                   return visit(direct_short<T, kShortDirectDigits[1], kDirectDepths[I]>{});
                                               if (short_digits == kShortDirectDigits[0])
                                                 return visit(direct_short<T, kShortDirectDigits[0], kDirectDepths[I]>{});
                                               visit(direct<T, std::int32_t, kDirectDepths[I]>{});
                                             });
}

}  // namespace cornerturn::tile

namespace cornerturn {

/// Calls visit(program, kernel arguments, blocks, bytes of shared memory) with the tile program of a plan.
template <class Visit>
void visit_program(direct_plan const& plan, void const* source, void* destination, Visit const& visit) {
  visit_element(plan.element_size, [&]<class T>(T) {
    tile::visit_direct<T>(plan.depth, plan.wide, plan.short_digits, [&]<class Program>(Program program) {
      using job_type = typename Program::job_type;
      tile::direct_args<T, job_type> const args{static_cast<T const*>(source) + plan.source_offset,
                                                static_cast<T*>(destination) + plan.destination_offset, job_type(plan.job)};
      visit(program, args, plan.blocks, 0);
    });
  });
}

}  // namespace cornerturn
