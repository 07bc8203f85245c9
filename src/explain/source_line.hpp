#pragma once

#include <string>
#include <string_view>

namespace cornerturn {

/// The line of a kernel's source, without its indentation. `path` ends with the file's folder and name; lines count from 1. Empty
/// for a file that belongs to no kernel.
std::string source_line(std::string_view path, int line);

}  // namespace cornerturn
