#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "plan/step.hpp"

namespace cornerturn {

/// A choice that every plan of a family makes, and its values. The names of values are unique within a family.
struct cpu_choice {
  std::string_view name;
  std::vector<std::string_view> values;
};

/// A value that no plan has together with any of some other values, and why.
struct unreachable_pairs {
  std::string_view value;
  std::vector<std::string_view> others;
  std::string_view why;
};

/// A family of plans of the CPU engine, all choices that its plans consist of, and the pairs of values that no plan has. Tests
/// count pairs, because two branches that are right alone may be wrong together.
struct cpu_family {
  std::string_view name;
  std::vector<cpu_choice> choices;
  std::vector<unreachable_pairs> unreachable;
};

/// The families: tiles that copy bits, tiles that change elements, boxes of rows that change, swaps, panels, boxes, and tiles in
/// place.
std::vector<cpu_family> cpu_families();

/// What a plan of the CPU engine has chosen: the index of its family in `cpu_families`, and the value of each choice in order.
struct cpu_decisions {
  std::size_t family;
  std::vector<std::string_view> values;
};

/// Throws std::bad_variant_access for the steps of other processors.
cpu_decisions decisions_of(step const& each);

}  // namespace cornerturn
