#pragma once

#include <string>

#include "problem/problem.hpp"

namespace cornerturn {

/// A problem for people, in NumPy's words: "shape (3, 4), byte strides (4, 12) to (16, 4), elements of 4 bytes". Byte offsets and
/// the strides of scale and bias follow the strides if they are not 0.
std::string describe(problem const& p);

}  // namespace cornerturn
