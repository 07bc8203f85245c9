#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "plan/step.hpp"

namespace cornerturn {

/// A choice that every plan of a family makes, and its values. The names of values are unique within a family.
struct plan_choice {
  std::string_view name;
  std::vector<std::string_view> values;
};

/// A value, other values that no plan has together with it, and the reason.
struct unreachable_pairs {
  std::string_view value;
  std::vector<std::string_view> others;
  std::string_view why;
};

/// A family of plans, the choices that its plans make, and the pairs of values that no plan has. Tests count pairs, because two
/// branches that are right alone may be wrong together.
struct plan_family {
  std::string_view name;
  std::vector<plan_choice> choices;
  std::vector<unreachable_pairs> unreachable;
};

/// The families of the CPU engine: tiles that copy bits, tiles that change elements, boxes of rows that change, swaps, panels,
/// boxes, and tiles in place.
std::vector<plan_family> cpu_choices();

/// The families of GPU kernels (kernel/families.hpp), whose names begin with "gpu ".
std::vector<plan_family> gpu_choices();

/// The decisions of a step: the name of its family, and the value of each choice in order.
struct plan_decisions {
  std::string_view family;
  std::vector<std::string_view> values;
};

/// Throws std::bad_variant_access for transfers and clearings, which choose nothing.
plan_decisions decisions_of(step const& each);

/// The decisions of a GPU kernel. `decisions_of` calls this function for such steps.
plan_decisions gpu_decisions_of(step const& each);

}  // namespace cornerturn
