#pragma once

#include <string_view>

#include "pattern/sides.hpp"
#include "problem/problem.hpp"

namespace cornerturn {

/// Throws `error` unless a text is a swizzle that `rearrange` takes.
void expect_swizzle(std::string_view argument, std::string_view text);

/// Throws `error` for a swizzle of a side of a pattern, "left" or "right", that has no tiles.
[[noreturn]] void refuse_without_tile(std::string_view argument, std::string_view side, std::string_view pattern);

/// Splits modes at the bits of the swizzles of the options, and tells both sides which modes have these bits. An element has
/// `element_bits` bits on each side. Throws `error` for a swizzle that does not follow the notation or has units of less than 16
/// bytes, for a side of the pattern without tiles, for tiles that are padded, cropped or not dense, and for axes of a tile that
/// the boundaries of these bits do not divide.
void swizzle_sides(pattern_move& move, std::string_view pattern, rearrangement const& steps, rearrange_options const& options,
                   element_sizes const& element_bits);

/// What a move does, as boxes within its limits that have one index of each selector of its swizzles.
limited_boxes boxes_of(pattern_move const& move);

}  // namespace cornerturn
