#pragma once

#include <cstdint>

namespace cornerturn {

/// A block's place in a grid with three indices. Consecutive blocks differ in x.
struct grid_index {
  int x, y, z;
};

/// A grid of blocks with three indices. CUDA allows at most 65535 blocks in y and in z.
struct grid_shape {
  static constexpr int kMostRows = 65535;  ///< blocks in y, and in z
  int x = 1, y = 1, z = 1;

  constexpr std::int64_t blocks() const { return std::int64_t(x) * y * z; }
  constexpr grid_index at(std::int64_t index) const { return {int(index % x), int(index / x % y), int(index / x / y)}; }
};

}  // namespace cornerturn
