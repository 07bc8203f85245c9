#pragma once

#include <cstddef>
#include <cstdint>

#include "problem/problem.hpp"

namespace cornerturn {

/// The part of a problem in which one mode's index is in [begin, begin + extent).
problem slice(problem whole, std::size_t mode, std::int64_t begin, std::int64_t extent);

}  // namespace cornerturn
