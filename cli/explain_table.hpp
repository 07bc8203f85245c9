#pragma once

#include <string>
#include <vector>

#include "cornerturn/explain.hpp"

namespace cornerturn::cli {

void print_findings(std::vector<finding> const& findings);

/// Prints one line per rung, the fastest first.
void print_table(std::vector<explanation> const& all);

}  // namespace cornerturn::cli
