#pragma once

#include <concepts>
#include <string>
#include <string_view>
#include <variant>

namespace cornerturn {

/// The plan type of one kind of work, such as the launches of a kernel family. `Plan::family` is its name. `parameters` returns a
/// tuple of numbers and names in which any two plans of this type for one problem differ, and `describe` says them in words.
/// `Plan::version` counts from 1. It rises if `parameters` gets another meaning or measured choices no longer hold.
template <class Plan>
concept work_plan = requires(Plan const& plan) {
  { Plan::family } -> std::convertible_to<std::string_view>;
  { Plan::version } -> std::convertible_to<int>;
  plan.parameters();
  { describe(plan) } -> std::same_as<std::string>;
};

template <work_plan... Plan>
struct family_table {
  using any_plan = std::variant<Plan...>;  ///< a plan of any row
  using first_plan = std::variant_alternative_t<0, any_plan>;

  template <class Other>
  static constexpr bool has = (std::same_as<Other, Plan> || ...);

  /// Calls visit.template operator()<Plan>() for each row, in the table's order.
  template <class Visit>
  static void for_each(Visit const& visit) {
    (visit.template operator()<Plan>(), ...);
  }
};

/// The rows of several tables.
template <class... A, class... B, class... More>
auto joined(family_table<A...>, family_table<B...>, More... more) {
  if constexpr (sizeof...(More) == 0)
    return family_table<A..., B...>();
  else
    return joined(family_table<A..., B...>(), more...);
}

}  // namespace cornerturn
