#pragma once

#include <type_traits>

#include "kernel/rung/plan.hpp"
#include "tile/visit_index.hpp"

namespace cornerturn {

/// The use that a plan's kernel variant is compiled for.
variant_use use_of(rung_plan const& plan);

template <variant_use Use>
using use_constant = std::integral_constant<variant_use, Use>;

/// Calls visit(use_constant<Use>{}) with the use of a plan's variant, if it is `Last` or before. Returns false if it is not.
template <variant_use Last, class Visit>
bool visit_use(rung_plan const& plan, Visit const& visit) {
  auto const use = use_of(plan);
  visit_index<int(Last) + 1>(int(use), [&]<int Use>() { visit(use_constant<variant_use(Use)>{}); });
  return use <= Last;
}

}  // namespace cornerturn
