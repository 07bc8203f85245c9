#pragma once

#include <type_traits>

#include "kernel/rung/plan.hpp"
#include "kernel/rung/variants.hpp"

namespace cornerturn {

/// The use that a plan's kernel variant is compiled for.
variant_use use_of(rung_plan const& plan);

template <variant_use Use>
using use_constant = std::integral_constant<variant_use, Use>;

/// Calls visit(use_constant<Use>{}) with the use of a plan's variant. The visitor is instantiated for uses up to `Last` only;
/// returns false if the variant's use comes after `Last`.
template <variant_use Last, class Visit>
bool visit_use(rung_plan const& plan, Visit const& visit) {
  auto const use = use_of(plan);
  auto const try_use = [&]<variant_use Use>(use_constant<Use> constant) {
    if constexpr (Use <= Last)
      if (use == Use) visit(constant);
  };
  try_use(use_constant<variant_use::plans>{});
  try_use(use_constant<variant_use::ladder>{});
  try_use(use_constant<variant_use::sweeps>{});
  return use <= Last;
}

}  // namespace cornerturn
