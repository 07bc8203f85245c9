#pragma once

#include <cstdint>
#include <vector>

#include "problem/problem.hpp"

namespace cornerturn {

/// The extents of a piece of a canonical problem, one for each mode: the piece has at most `most_elements` elements, and all
/// pieces together are read and written in the fewest contiguous runs.
std::vector<std::int64_t> piece_extents(problem const& canonical, std::int64_t most_elements);

/// The number of elements of the smallest piece that has runs of about `run` contiguous elements on both sides, or on a side with
/// shorter runs the problem's whole runs.
std::int64_t smallest_piece(problem const& canonical, std::int64_t run);

}  // namespace cornerturn
