#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace cornerturn::test {

/// Bytes to move: their period of 251 is no multiple of any element or row, so that a wrong element shows.
inline std::vector<std::byte> numbered(std::int64_t bytes) {
  std::vector<std::byte> result(static_cast<std::size_t>(bytes));
  for (std::size_t i = 0; i < result.size(); ++i) result[i] = static_cast<std::byte>((i + i / 251 * 7) % 251);
  return result;
}

}  // namespace cornerturn::test
