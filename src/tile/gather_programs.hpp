#pragma once

#include <type_traits>

#include "tile/gather.hpp"
#include "tile/gather_form.hpp"

namespace cornerturn::tile {

/// Calls visit(program) with the program of a form.
template <class T, class Visit>
void visit_gather(gather_form const& form, Visit const& visit) {
  constexpr int V = 16 / int(sizeof(T));
  auto const with = [&]<class Offset>(Offset) {
    if constexpr (V > 1)
      if (!form.single) return form.ragged ? visit(gather<T, Offset, V, true>{}) : visit(gather<T, Offset, V, false>{});
    visit(gather<T, Offset, 1, false>{});
  };
  form.wide ? with(std::int64_t{}) : with(std::int32_t{});
}

}  // namespace cornerturn::tile
