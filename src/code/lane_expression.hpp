#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace cornerturn {

/// A byte address for each lane of a warp; empty: the lane is inactive.
using lane_addresses = std::array<std::optional<std::int64_t>, 32>;

/// Parses the addresses of a warp's lanes. The text is an expression of the integer `lane`, e.g. "lane*132", or a list of up to
/// 32 expressions with commas between them, one for each lane from lane 0 on; "-" stands for an inactive lane, and lanes past the
/// end of the list are inactive. Expressions have the integers, operators and precedence of C: + - * / % & | ^ << >> and
/// parentheses.
///
/// Throws `error` with a message that names the argument: for a wrong text with the position of the character, for a value out of
/// range with the lane.
lane_addresses parse_addresses(std::string_view argument, std::string_view text);

}  // namespace cornerturn
