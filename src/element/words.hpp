#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "element/change.hpp"

/// Words of 4 bytes, which hold one element, two of 2 bytes or four of 1 byte. The GPU converts the elements of a word faster
/// than elements that were taken out of it.
namespace cornerturn::element {

/// The number of the element of type S at a place of a word.
template <class S>
CORNERTURN_HOST_DEVICE float number_at(std::uint32_t word, int place) {
  if constexpr (sizeof(S) == 4) {
    return std::bit_cast<float>(word);
  } else if constexpr (std::is_same_v<S, bf16_bits>) {
    return std::bit_cast<float>(place ? word & 0xffff0000u : word << 16);
  } else {
#ifdef __CUDA_ARCH__
    auto const both = std::bit_cast<__half2_raw>(word);
    return place ? __high2float(both) : __low2float(both);
#else
    return number_of<float>(S{std::uint16_t(word >> 16 * place)});
#endif
  }
}

/// `saturate_elements` into words of four elements.
template <class D, int N>
CORNERTURN_HOST_DEVICE void saturate_words(float const (&numbers)[N], std::uint32_t (&words)[N / 4]) {
  CORNERTURN_UNROLL
  for (int i = 0; i < N / 4; ++i) {
    std::uint16_t pairs[2];
    CORNERTURN_UNROLL
    for (int half = 0; half < 2; ++half) {
      D pair[2];
      saturate_elements({numbers[4 * i + 2 * half], numbers[4 * i + 2 * half + 1]}, pair);
      std::memcpy(&pairs[half], pair, sizeof(pair));
    }
    words[i] = pairs[0] | std::uint32_t(pairs[1]) << 16;
  }
}

}  // namespace cornerturn::element
