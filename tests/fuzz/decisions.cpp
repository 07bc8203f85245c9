#include "fuzz/decisions.hpp"

#include <type_traits>

namespace cornerturn::fuzz {
namespace {

template <class Plan>
struct named_decisions {
  std::string_view name;
  plan_decisions<Plan> all;
};

/// The families that plans of a type are counted in: one, except for tiles of the CPU.
template <class Plan>
std::vector<named_decisions<Plan>> const& families_of() {
  static auto const families = []() -> std::vector<named_decisions<Plan>> {
    if constexpr (std::is_same_v<Plan, cpu_plan>)
      return {{"cpu-tiles", Plan::decisions()},
              {"cpu-tiles that change", Plan::decisions_of_changes()},
              {"cpu-tiles in place", Plan::decisions_in_place()}};
    else
      return {{Plan::family, Plan::decisions()}};
  }();
  return families;
}

template <class Plan>
named_decisions<Plan> const& family_of(Plan const& plan, bool is_in_place) {
  auto const& families = families_of<Plan>();
  if constexpr (std::is_same_v<Plan, cpu_plan>)
    return families[is_in_place ? 2 : plan.change ? 1 : 0];
  else
    return families.front();
}

template <class Table>
std::vector<counted_family> families_in() {
  std::vector<counted_family> result;
  Table::for_each([&]<class Plan>() {
    for (auto const& [name, all] : families_of<Plan>()) {
      result.push_back({name, {}, all.unreachable});
      for (auto const& each : all.decisions) result.back().decisions.push_back({each.name, each.values});
    }
  });
  return result;
}

}  // namespace

std::vector<counted_family> cpu_plans() { return families_in<cpu_families>(); }
std::vector<counted_family> gpu_plans() { return families_in<launched_families>(); }

step_decisions decisions_of(step const& each) {
  bool const is_in_place = each.source.role == buffer_role::destination && each.destination.role == buffer_role::destination;
  using counted = decltype(joined(launched_families(), cpu_families()));
  return with_plan_of<counted>(each, [&](auto const& plan) {
    auto const& [name, all] = family_of(plan, is_in_place);
    step_decisions result{name, {}};
    for (auto const& decision : all.decisions) result.values.push_back(decision.values.at(decision.value_of(plan)));
    return result;
  });
}

}  // namespace cornerturn::fuzz
