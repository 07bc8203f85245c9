#pragma once

#include "cornerturn/typed.hpp"
#include "problem/problem.hpp"

namespace cornerturn {

/// Throws `error` if a side of a problem reaches outside its range. The problem has elements of one byte, so its bytes count
/// elements.
void expect_room(problem const& in_elements, detail::range_sizes const& sizes);

}  // namespace cornerturn
