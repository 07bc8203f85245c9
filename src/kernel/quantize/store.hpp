#pragma once

#include <cstdint>

#include <cute/tensor.hpp>

#include "element/words.hpp"

namespace cornerturn::tile {

/// Changes N numbers to 8-bit floats and stores them if they are `active`: as a vector, or one by one, and only the first `count`
/// numbers.
template <int N, class D, class Block>
CUTE_HOST_DEVICE void store_run(Block& block, float const (&numbers)[N], bool is_vector, bool active, int count, D* to) {
  alignas(N) std::uint32_t words[N / 4];
  element::saturate_words<D>(numbers, words);
  if (is_vector) {
    block.template global_store<N / 4>(reinterpret_cast<std::uint32_t*>(to), words, active);
    return;
  }
  CUTE_UNROLL
  for (int w = 0; w < N / 4; ++w) {
    CORNERTURN_NO_UNROLL
    for (int v = 4 * w; v < 4 * w + 4; ++v, words[w] >>= 8) {
      D const value{std::uint8_t(words[w])};
      block.template global_store<1>(to + v, &value, active && v < count);
    }
  }
}

}  // namespace cornerturn::tile
