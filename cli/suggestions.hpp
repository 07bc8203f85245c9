#pragma once

#include <string_view>
#include <vector>

#include "cornerturn/code.hpp"
#include "cornerturn/layout.hpp"

namespace cornerturn::cli {

/// Prints code of one or more lines, indented. To paste it, its lines may be longer than the terminal's.
void print_code(std::string_view code);

/// Prints a layout that may be taken instead of another, after a title.
void print_option(std::string_view title, layout_padding const& option);

/// Prints the suggested layouts of the arrays of a code.
void print_suggestions(std::vector<code_suggestion> const& found);

}  // namespace cornerturn::cli
