#pragma once

#include <cstdint>

#include "element/block_scale.hpp"
#include "element/convert.hpp"

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
/// all second elements. NaN is larger than all numbers.
template <class S>
class word_magnitudes {
  static constexpr bool kIsPair = sizeof(S) == 2;

 public:
  CORNERTURN_HOST_DEVICE void add(std::uint32_t word) {
    if constexpr (kIsPair)
      most_ = larger_halves(most_, word & 0x7fff7fffu);
    else
      most_ = (word & 0x7fffffffu) > most_ ? word & 0x7fffffffu : most_;
  }
  /// The bits of the largest magnitude of the elements at this place of their words, as a float.
  CORNERTURN_HOST_DEVICE std::int32_t of(int place) const {
    if constexpr (kIsPair)
      return magnitude_bits(number_of<float>(S{std::uint16_t(most_ >> 16 * place)}));
    else
      return std::int32_t(most_);
  }
  /// The bits of the largest magnitude of all elements, as a float.
  CORNERTURN_HOST_DEVICE std::int32_t all() const {
    if constexpr (kIsPair)
      return of(0) > of(1) ? of(0) : of(1);
    else
      return of(0);
  }

 private:
  std::uint32_t most_ = 0;
};

}  // namespace cornerturn::element
