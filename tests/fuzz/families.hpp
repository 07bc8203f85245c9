#pragma once

#include <vector>

#include "plan/decisions.hpp"

namespace cornerturn::fuzz {

/// The families of calls that are drawn besides plans, with their choices: quantising, calls of the C interface, and files.
std::vector<plan_family> call_families();

}  // namespace cornerturn::fuzz
