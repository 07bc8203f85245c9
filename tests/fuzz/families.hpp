#pragma once

#include <string_view>
#include <vector>

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

/// The families of calls that are drawn besides plans, with their choices: calls of the C interface, and files.
std::vector<counted_family> call_families();

}  // namespace cornerturn::fuzz
