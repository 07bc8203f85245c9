#pragma once

#include <cstdint>
#include <limits>

namespace cornerturn {

/// The largest value of the 32-bit integers in which kernels count blocks, tiles and elements.
constexpr std::int64_t kIntMax = std::numeric_limits<int>::max();

}  // namespace cornerturn
