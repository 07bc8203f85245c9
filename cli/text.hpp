#pragma once

#include <string>
#include <vector>

namespace cornerturn::cli {

/// The names with commas between them, wrapped to the width of the help texts of options.
std::string name_list(std::vector<std::string> const& names);

}  // namespace cornerturn::cli
