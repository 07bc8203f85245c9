#pragma once

#include <string_view>

namespace cornerturn::cli {

/// True if standard error is a terminal.
bool is_terminal();

/// The columns of the terminal at this moment. The last one should stay free, because a terminal may wrap there.
int terminal_columns();

/// Replaces the status line on standard error, if this is a terminal, by a text, which is cut to the width. An empty text erases
/// the line.
void show_status(std::string_view text);

}  // namespace cornerturn::cli
