#pragma once

#include "cornerturn/cxx20.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cornerturn/export.h"

// How the library and the program `cornerturn` format reports and compare names.

namespace cornerturn {

/// A number with its noun in singular or plural: "1 wavefront", "2 wavefronts".
CORNERTURN_API std::string count_text(std::int64_t count, std::string_view noun);

/// The items of a list: "a", "a or b", "a, b or c".
CORNERTURN_API std::string list_text(std::vector<std::string> const& items, std::string_view last = "or");

/// A number with one decimal, or with none if that is 0: "1.5", "2".
CORNERTURN_API std::string decimal(double value);

/// Wraps a text at 80 columns and indents all lines but the first by `indent` blanks.
CORNERTURN_API std::string wrapped(std::string_view text, std::size_t indent);

/// The names that a misspelt one may mean: those that differ in the fewest letters, at most one of three, as a whole or, like
/// smem-conflct and smem-conflict-read, in their beginnings; else those that contain it. Upper and lower case are alike, and
/// dashes before a name do not count if the misspelt one has none.
CORNERTURN_API std::vector<std::string> similar_names(std::string_view misspelt, std::vector<std::string> const& names);

/// "; did you mean rows or cols?" for the names that are meant; empty if there are none, or more than two.
CORNERTURN_API std::string did_you_mean(std::vector<std::string> const& meant);

/// The same for the similar names of a misspelt one.
CORNERTURN_API std::string did_you_mean(std::string_view misspelt, std::vector<std::string> const& names);

}  // namespace cornerturn
