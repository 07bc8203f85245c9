#pragma once

#include <cstdint>

#include "element/block_scale.hpp"
#include "element/words.hpp"

namespace cornerturn::element {

/// The larger of the unsigned numbers in both halves of two words.
CORNERTURN_HOST_DEVICE std::uint32_t larger_halves(std::uint32_t a, std::uint32_t b) {
#ifdef __CUDA_ARCH__
  return __vmaxu2(a, b);
#else
  auto const low = (a & 0xffff) > (b & 0xffff) ? a & 0xffff : b & 0xffff, high = a >> 16 > b >> 16 ? a >> 16 : b >> 16;
  return high << 16 | low;
#endif
}

/// The largest magnitudes of elements of type S that come in words: for two elements a word, one of all first elements and one of
/// all second elements. NaN is larger than all numbers. `most` has the magnitudes of other words.
template <class S>
CORNERTURN_HOST_DEVICE std::uint32_t larger_magnitudes(std::uint32_t most, std::uint32_t word) {
  if constexpr (sizeof(S) == 2) return larger_halves(most, word & 0x7fff7fffu);
  std::uint32_t const magnitude = word & 0x7fffffffu;
  return magnitude > most ? magnitude : most;
}

/// The bits of the magnitude of a word's element, as a float.
template <class S>
CORNERTURN_HOST_DEVICE std::int32_t magnitude_of(std::uint32_t word, int place) {
  return magnitude_bits(number_at<S>(word, place));
}

/// The bits of the largest magnitude of a word's elements, as a float.
template <class S>
CORNERTURN_HOST_DEVICE std::int32_t largest_magnitude(std::uint32_t word) {
  std::int32_t const first = magnitude_of<S>(word, 0), last = magnitude_of<S>(word, sizeof(S) == 2);
  return first > last ? first : last;
}

}  // namespace cornerturn::element
