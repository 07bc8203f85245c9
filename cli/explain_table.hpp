#pragma once

#include <string_view>
#include <vector>

#include "cornerturn/explain.hpp"

namespace cornerturn::cli {

/// Prints the findings under a heading, or nothing if there are none.
void print_findings(std::string_view heading, std::vector<finding> const& findings);

/// Prints one line per rung, the fastest first.
void print_table(std::vector<explanation> const& all);

}  // namespace cornerturn::cli
