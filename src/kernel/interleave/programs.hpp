#pragma once

#include "kernel/interleave/interleave.hpp"
#include "kernel/interleave/interleave_unaligned.hpp"
#include "kernel/interleave/plan.hpp"
#include "tile/elements.hpp"
#include "tile/visit_index.hpp"

namespace cornerturn::tile {

/// Calls visit(program) with the program of a number of rows, 2 to 8. Only 1- and 2-byte elements have programs for unaligned
/// rows.
template <class T, class Visit>
void visit_interleave(int fields, bool to_aos, bool unaligned, Visit const& visit) {
  auto const with = [&]<int Fields, bool ToAos>() {
    if constexpr (sizeof(T) <= 2)
      if (unaligned) return visit(interleave_unaligned<T, Fields, ToAos>{});
    visit(interleave<T, Fields, ToAos>{});
  };
  visit_index<7>(fields - 2,
                 [&]<int I>() { to_aos ? with.template operator()<I + 2, true>() : with.template operator()<I + 2, false>(); });
}

}  // namespace cornerturn::tile

namespace cornerturn {

/// Calls visit(program, kernel arguments, blocks, bytes of shared memory) with the tile program of a plan.
template <class Visit>
void visit_program(interleave_plan const& plan, void const* source, void* destination, Visit const& visit) {
  visit_element(plan.element_size, [&]<class T>(T) {
    if constexpr (sizeof(T) < 16) {
      auto const args = tile::kernel_args<T, interleave_job>::of(plan, source, destination);
      tile::visit_interleave<T>(plan.fields, plan.to_aos, plan.unaligned, [&]<class Program>(Program program) {
        auto const each = plan.unaligned ? 1 : Program::kThreads;
        visit(program, args, (plan.job.count + each - 1) / each, Program::kSharedBytes);
      });
    }
  });
}

}  // namespace cornerturn
