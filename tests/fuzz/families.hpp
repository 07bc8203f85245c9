#pragma once

#include <string_view>
#include <vector>

#include "kernel/decisions.hpp"

namespace cornerturn::fuzz {

/// A decision, and its values.
struct counted_decision {
  std::string_view name;
  std::vector<std::string_view> values;
};

/// Plans or calls that make the same decisions, and the pairs of values that none of them has.
struct counted_family {
  std::string_view name;
  std::vector<counted_decision> decisions;
  std::vector<unreachable_pairs> unreachable;
};

/// The families of calls that are drawn besides plans, with their decisions: calls of the C interface, and files.
std::vector<counted_family> call_families();

}  // namespace cornerturn::fuzz
