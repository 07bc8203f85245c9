#pragma once

#include <type_traits>

#include "kernel/interleave/interleave.hpp"
#include "kernel/interleave/interleave_anywhere.hpp"
#include "kernel/interleave/plan.hpp"
#include "tile/elements.hpp"

namespace cornerturn::tile {

/// Calls visit(program) with the program of as many rows, which are 2 to 8; only elements of 1 and 2 bytes begin `anywhere`.
template <class T, class Visit>
void visit_interleave(int few, bool together, bool anywhere, Visit const& visit) {
  auto const with = [&]<int Few, bool Together>(std::integral_constant<int, Few>, std::bool_constant<Together>) {
    if constexpr (sizeof(T) <= 2)
      if (anywhere) return visit(interleave_anywhere<T, Few, Together>{});
    visit(interleave<T, Few, Together>{});
  };
  auto const rows = [&]<int Few>(std::integral_constant<int, Few> count) {
    together ? with(count, std::true_type{}) : with(count, std::false_type{});
  };
  switch (few) {
    case 2:
      return rows(std::integral_constant<int, 2>{});
    case 3:
      return rows(std::integral_constant<int, 3>{});
    case 4:
      return rows(std::integral_constant<int, 4>{});
    case 5:
      return rows(std::integral_constant<int, 5>{});
    case 6:
      return rows(std::integral_constant<int, 6>{});
    case 7:
      return rows(std::integral_constant<int, 7>{});
    case 8:
      return rows(std::integral_constant<int, 8>{});
  }
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
      tile::visit_interleave<T>(plan.few, plan.together, plan.anywhere, [&]<class Program>(Program program) {
        auto const each = plan.anywhere ? 1 : Program::kThreads;
        visit(program, args, (plan.job.count + each - 1) / each, Program::kSharedBytes);
      });
    }
  });
}

}  // namespace cornerturn
