#pragma once

#include <cstdint>

namespace cornerturn::cpu {

/// Transposes row after row, element after element. Reads are in order. Every write goes to another cache line, which is
/// evicted before its next element is written.
template <class T>
void naive(T const* source, T* destination, std::int64_t rows, std::int64_t cols) {
  for (std::int64_t r = 0; r < rows; ++r)
    for (std::int64_t c = 0; c < cols; ++c) destination[c * rows + r] = source[r * cols + c];
}

}  // namespace cornerturn::cpu
