#pragma once

#include "cornerturn/cxx20.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "cornerturn/export.h"

// How the library and the program `cornerturn` format reports.

namespace cornerturn {

/// A number with its noun in singular or plural: "1 wavefront", "2 wavefronts".
CORNERTURN_API std::string count_text(std::int64_t count, std::string_view noun);

/// A number with one decimal, or with none if that is 0: "1.5", "2".
CORNERTURN_API std::string decimal(double value);

/// Wraps a text at 80 columns and indents all lines but the first by `indent` blanks.
CORNERTURN_API std::string wrapped(std::string_view text, std::size_t indent);

}  // namespace cornerturn
