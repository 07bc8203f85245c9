#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace cornerturn::test {

/// Bytes to move: their period of 251 is no multiple of any element or row, so that a wrong element shows.
inline std::vector<std::byte> numbered(std::int64_t bytes) {
  constexpr std::int64_t kPeriod = 251, kStep = 7;  // each period begins kStep later than the one before it
  std::array<std::byte, 2 * kPeriod> twice;
  for (std::size_t i = 0; i < twice.size(); ++i) twice[i] = static_cast<std::byte>(i % kPeriod);
  std::vector<std::byte> result(static_cast<std::size_t>(bytes));
  for (std::int64_t at = 0, first = 0; at < bytes; at += kPeriod, first = (first + kStep) % kPeriod)
    std::memcpy(result.data() + at, twice.data() + first, std::size_t(std::min(kPeriod, bytes - at)));
  return result;
}

}  // namespace cornerturn::test
