#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

namespace cornerturn::test {

/// The numbers 0, 1, 2, and so on.
template <class T>
std::vector<T> iota(std::int64_t count) {
  std::vector<T> values(static_cast<std::size_t>(count));
  std::iota(values.begin(), values.end(), T(0));
  return values;
}

}  // namespace cornerturn::test
