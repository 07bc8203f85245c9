#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace cornerturn {

/// Makes a text printable on one line: escapes other bytes as \x.. and truncates after `longest` bytes.
std::string printable(std::string_view text, std::size_t longest);

}  // namespace cornerturn
