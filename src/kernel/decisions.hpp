#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

namespace cornerturn {

/// A decision that every plan of a type makes: its values, and the index of a plan's value. The names of values are unique within
/// a plan's decisions.
template <class Plan>
struct plan_decision {
  std::string_view name;
  std::vector<std::string_view> values;
  std::function<std::size_t(Plan const&)> value_of;
};

/// A value, other values that no plan has together with it, and the reason.
struct unreachable_pairs {
  std::string_view value;
  std::vector<std::string_view> others;
  std::string_view why;
};

/// The decisions that plans of a type make, and the pairs of values that no plan has. Tests count pairs, because two branches
/// that are right alone may be wrong together.
template <class Plan>
struct plan_decisions {
  std::vector<plan_decision<Plan>> decisions;
  std::vector<unreachable_pairs> unreachable = {};
};

/// The size of an element, among the first `count` powers of two in bytes.
template <class Plan>
plan_decision<Plan> element_decision(int count = 5) {
  constexpr std::string_view kNames[] = {"1 byte", "2 bytes", "4 bytes", "8 bytes", "16 bytes"};
  return {
      "element", {kNames, kNames + count}, [](Plan const& plan) { return std::countr_zero(std::uint64_t(plan.element_size)); }};
}

/// Whether elements become larger or smaller. sizes_of(plan) returns their `element_sizes`.
template <class Plan, class SizesOf>
plan_decision<Plan> sizes_decision(SizesOf const& sizes_of) {
  return {"sizes", {"equal sizes", "larger after", "smaller after"}, [=](Plan const& plan) {
            auto const sizes = sizes_of(plan);
            if (sizes.are_equal()) return 0;
            return sizes.source < sizes.destination ? 1 : 2;
          }};
}

/// The decisions of a type's plans, and then more of them.
template <class Plan>
plan_decisions<Plan> joined(plan_decisions<Plan> own, plan_decisions<Plan> const& more) {
  own.decisions.insert(own.decisions.end(), more.decisions.begin(), more.decisions.end());
  own.unreachable.insert(own.unreachable.end(), more.unreachable.begin(), more.unreachable.end());
  return own;
}

}  // namespace cornerturn
