#pragma once

#include "cornerturn/typed.hpp"
#include "problem/problem.hpp"

namespace cornerturn {

/// Throws `error` if a side of a problem, which counts elements as bytes, reaches outside the range that it is in.
void expect_room(problem const& in_elements, detail::range_sizes const& sizes);

}  // namespace cornerturn
