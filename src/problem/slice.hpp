#pragma once

#include <cstddef>
#include <cstdint>

#include "problem/problem.hpp"

namespace cornerturn {

/// Restricts a problem to the indices [begin, begin + extent) of one mode.
problem slice(problem whole, std::size_t mode, std::int64_t begin, std::int64_t extent);

}  // namespace cornerturn
