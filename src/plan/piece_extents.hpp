#pragma once

#include <cstdint>
#include <vector>

#include "problem/problem.hpp"

namespace cornerturn {

/// How many indices of each mode of a canonical problem a piece has that has at most so many elements: those with which the
/// fewest runs of elements that lie side by side are read and written in all.
std::vector<std::int64_t> piece_extents(problem const& canonical, std::int64_t most_elements);

/// The elements of the smallest pieces in which about `run` elements lie side by side on either side, or as many as ever do.
std::int64_t smallest_piece(problem const& canonical, std::int64_t run);

}  // namespace cornerturn
