#pragma once

#include <string_view>
#include <vector>

#include "cornerturn/explain.hpp"

namespace cornerturn::cli {

/// Prints the findings under a heading, or nothing if there are none.
void print_findings(std::string_view heading, std::vector<finding> const& findings);

/// Prints one line per rung: the copies, then the fastest first; rungs of nearly the same speed are in the ladder's order.
void print_table(std::vector<explanation> const& all);

}  // namespace cornerturn::cli
