#pragma once

#include <string_view>
#include <vector>

#include "cornerturn/element_type.hpp"
#include "plan/decisions.hpp"

namespace cornerturn::fuzz {

/// The name of a type among those to which matrices are quantised, e.g. "to f8_e5m2".
std::string_view name_of_destination(element_type type);

/// The families of calls that are drawn besides plans, with their choices: quantising, calls of the C interface, and files.
std::vector<plan_family> call_families();

}  // namespace cornerturn::fuzz
