#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cornerturn/rearrange.hpp"

namespace cornerturn {

inline constexpr std::string_view kArrow = "->", kEllipsis = "...", kTile = "|";

/// A pattern for arrays of any rank; `kEllipsis` is a name.
struct pattern_sides {
  std::vector<parsed_pattern::axis> left, right;
};

/// Reads both sides of a pattern. Throws `error` unless it follows the grammar.
pattern_sides read_sides(std::string_view pattern);

/// A text in quotes, as Python's repr writes it.
std::string quoted(std::string_view text);

/// Throws `error` for a pattern that must have what `allowed` says.
[[noreturn]] void refuse_pattern(std::string_view pattern, std::string const& allowed);

/// Throws `error` for a pattern that must have what `allowed` says, unlike an axis of it.
[[noreturn]] void refuse_axis(std::string_view pattern, parsed_pattern::axis const& axis, std::string_view allowed);

}  // namespace cornerturn
