#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace cornerturn::test {

/// Bytes to move: their period of 251 is no multiple of any element or row, so that a wrong element shows.
inline std::vector<std::byte> numbered(std::int64_t bytes) {
  std::vector<std::byte> result(static_cast<std::size_t>(bytes));
  constexpr int kPeriod = 251, kStep = 7;  // each period begins kStep later than the one before it
  int first = 0, value = 0, left = kPeriod;
  for (auto& each : result) {
    each = static_cast<std::byte>(value);
    value = value + 1 == kPeriod ? 0 : value + 1;
    if (--left == 0) first = (first + kStep) % kPeriod, value = first, left = kPeriod;
  }
  return result;
}

}  // namespace cornerturn::test
