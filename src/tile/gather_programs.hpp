#pragma once

#include <type_traits>

#include "tile/gather.hpp"

namespace cornerturn::tile {

/// Calls visit(program) with the gather program in the form asked for: whether offsets within a tile need 64 bits, elements
/// stored together (a 16-byte vector or one), and whether rows may begin within these.
template <class T, class Visit>
void visit_gather(bool wide, int width, bool ragged, Visit const& visit) {
  constexpr int V = 16 / int(sizeof(T));
  auto const with = [&]<class Offset>(Offset) {
    if (width == 1)
      visit(gather<T, Offset, 1, false>{});
    else if constexpr (V > 1)
      ragged ? visit(gather<T, Offset, V, true>{}) : visit(gather<T, Offset, V, false>{});
  };
  wide ? with(std::int64_t{}) : with(std::int32_t{});
}

}  // namespace cornerturn::tile
