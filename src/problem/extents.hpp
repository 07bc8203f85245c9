#pragma once

#include <cstdint>
#include <vector>

namespace cornerturn {

/// The number of elements of an array or box with these extents.
inline std::int64_t product(std::vector<std::int64_t> const& extents) {
  std::int64_t result = 1;
  for (auto const extent : extents) result *= extent;
  return result;
}

}  // namespace cornerturn
