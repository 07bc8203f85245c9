#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cornerturn::cli {

/// The names with commas between them, in lines that fit beside the options' names.
std::string in_lines(std::vector<std::string> const& names);

/// The text in lines that end before the terminal does, all but the first behind `indent` blanks.
std::string wrapped(std::string_view text, std::size_t indent);

/// "1 element", "2 elements".
std::string counted(std::int64_t count, std::string_view what);

}  // namespace cornerturn::cli
