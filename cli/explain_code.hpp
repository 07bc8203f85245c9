#pragma once

#include <vector>

#include "cornerturn/code.hpp"

namespace cornerturn::cli {

/// Prints the suggested layouts of the arrays of a code.
void print_suggestions(std::vector<code_suggestion> const& found);

}  // namespace cornerturn::cli
