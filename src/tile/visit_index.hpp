#pragma once

#include <utility>

namespace cornerturn {

/// Calls visit.template operator()<I>() with the constant I in [0, Count) that equals `index`.
template <int Count, class Visit>
void visit_index(int index, Visit const& visit) {
  [&]<int... I>(std::integer_sequence<int, I...>) { ((index == I ? visit.template operator()<I>() : void()), ...); }
  (std::make_integer_sequence<int, Count>{});
}

}  // namespace cornerturn
