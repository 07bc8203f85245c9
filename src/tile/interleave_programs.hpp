#pragma once

#include <type_traits>

#include "tile/interleave.hpp"
#include "tile/interleave_anywhere.hpp"

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
