#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace cornerturn {

/// The number of elements of an array or box with these extents. If an extent is 0, the others may be too large to multiply.
inline std::int64_t product(std::vector<std::int64_t> const& extents) {
  if (std::ranges::find(extents, 0) != extents.end()) return 0;
  std::int64_t result = 1;
  for (auto const extent : extents) result *= extent;
  return result;
}

}  // namespace cornerturn
