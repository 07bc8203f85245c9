#pragma once

#include <algorithm>
#include <cstdint>

namespace cornerturn::cpu {

/// The rows and the columns of a block, which are whole cache lines on both sides for every element size.
inline constexpr std::int64_t kBlockSide = 64;

/// Transposes one square block after another. The cache lines of a block stay in the cache, on both sides, until all of
/// their elements have been used. So a block is written in order and read with a stride.
template <class T>
void blocked(T const* source, T* destination, std::int64_t rows, std::int64_t cols) {
  for (std::int64_t row = 0; row < rows; row += kBlockSide)
    for (std::int64_t col = 0; col < cols; col += kBlockSide)
      for (std::int64_t c = col; c < std::min(col + kBlockSide, cols); ++c)
        for (std::int64_t r = row; r < std::min(row + kBlockSide, rows); ++r) destination[c * rows + r] = source[r * cols + c];
}

}  // namespace cornerturn::cpu
