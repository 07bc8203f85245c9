#pragma once

#include <utility>

#include "kernel/interleave/interleave.hpp"
#include "kernel/interleave/interleave_unaligned.hpp"
#include "kernel/interleave/plan.hpp"
#include "tile/elements.hpp"

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
  auto const with_fields = [&]<int Fields>() {
    if (fields == Fields) to_aos ? with.template operator()<Fields, true>() : with.template operator()<Fields, false>();
  };
  [&]<int... I>(std::integer_sequence<int, I...>) { (with_fields.template operator()<I + 2>(), ...); }
  (std::make_integer_sequence<int, 7>{});
}

}  // namespace cornerturn::tile

namespace cornerturn {

/// Calls visit(program, kernel arguments, blocks, bytes of shared memory) with the tile program of a plan.
template <class Visit>
void visit_program(interleave_plan const& plan, void const* source, void* destination, Visit const& visit) {
  visit_element(plan.element_size, [&]<class T>(T) {
    if constexpr (sizeof(T) < 16) {
      auto const args = tile::kernel_args<T, interleave_job>::over(
          static_cast<T const*>(source) + plan.source_offset, static_cast<T*>(destination) + plan.destination_offset, plan.job);
      tile::visit_interleave<T>(plan.fields, plan.to_aos, plan.unaligned, [&]<class Program>(Program program) {
        auto const each = plan.unaligned ? 1 : Program::kThreads;
        visit(program, args, (plan.job.count + each - 1) / each, Program::kSharedBytes);
      });
    }
  });
}

}  // namespace cornerturn
