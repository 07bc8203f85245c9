#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <limits>

namespace cornerturn {

/// The largest value of the 32-bit integers in which kernels count blocks, tiles and elements.
constexpr std::int64_t kIntMax = std::numeric_limits<int>::max();

/// True if the offset of each element of these modes has 32 bits on both sides. Offsets count elements from the first one.
template <class Modes>
bool has_int_offsets(Modes const& modes) {
  std::int64_t source = 0, destination = 0;
  for (auto const& each : modes) {
    if (each.extent <= 1) continue;
    auto const source_stride = std::abs(each.source_stride), destination_stride = std::abs(each.destination_stride);
    if (std::max({each.extent - 1, source_stride, destination_stride}) > kIntMax) return false;
    source += (each.extent - 1) * source_stride, destination += (each.extent - 1) * destination_stride;
    if (std::max(source, destination) > kIntMax) return false;
  }
  return true;
}

}  // namespace cornerturn
