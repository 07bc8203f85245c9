#pragma once

#include <string_view>
#include <vector>

#include "cornerturn/element_type.hpp"
#include "kernel/choices.hpp"

namespace cornerturn::fuzz {

/// A choice, and its values.
struct counted_choice {
  std::string_view name;
  std::vector<std::string_view> values;
};

/// Plans or calls that make the same choices, and the pairs of values that none of them has.
struct counted_family {
  std::string_view name;
  std::vector<counted_choice> choices;
  std::vector<unreachable_pairs> unreachable;
};

/// The name of a type among those to which matrices are quantised, e.g. "to f8_e5m2".
std::string_view name_of_destination(element_type type);

/// The families of calls that are drawn besides plans, with their choices: quantising, calls of the C interface, and files.
std::vector<counted_family> call_families();

}  // namespace cornerturn::fuzz
