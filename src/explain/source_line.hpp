#pragma once

#include <string>
#include <string_view>

namespace cornerturn {

/// The line of a kernel's source, without its indentation; empty for other files. `path` ends with the file's folder and name;
/// lines count from 1.
std::string source_line(std::string_view path, int line);

}  // namespace cornerturn
