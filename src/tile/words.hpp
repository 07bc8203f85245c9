#pragma once

#include <cstdint>
#include <cstring>

#include <cute/tensor.hpp>

namespace cornerturn::tile {

/// Four bytes of two words, the first `off` bytes into the lower one.
CUTE_HOST_DEVICE std::uint32_t joined(std::uint32_t low, std::uint32_t high, int off) {
#ifdef __CUDA_ARCH__
  return __funnelshift_r(low, high, unsigned(8 * off));
#else
  return std::uint32_t((std::uint64_t(high) << 32 | low) >> (8 * off));
#endif
}

/// The bytes of two words whose numbers are the digits of `which`, the lowest first.
CUTE_HOST_DEVICE std::uint32_t bytes(std::uint32_t low, std::uint32_t high, unsigned which) {
#ifdef __CUDA_ARCH__
  return __byte_perm(low, high, which);
#else
  auto const both = std::uint64_t(high) << 32 | low;
  std::uint32_t result = 0;
  for (int i = 0; i < 4; ++i) result |= std::uint32_t(both >> (which >> 4 * i & 7) * 8 & 0xff) << 8 * i;
  return result;
#endif
}

/// Puts word number i ^ `which` in the place of number i, of the first four.
template <int N>
CUTE_HOST_DEVICE void swap_words(std::uint32_t (&words)[N], int which) {
  CUTE_UNROLL
  for (int bit = 1; bit < 4; bit *= 2) {
    std::uint32_t const before[] = {words[0], words[1], words[2], words[3]};
    CUTE_UNROLL
    for (int i = 0; i < 4; ++i) words[i] = which & bit ? before[i ^ bit] : before[i];
  }
}
CUTE_HOST_DEVICE void swap_words(std::uint8_t (&unit)[16], int which) {
  std::uint32_t words[4];
  std::memcpy(words, unit, sizeof(words));
  swap_words(words, which);
  std::memcpy(unit, words, sizeof(words));
}

/// Transposes a square of elements of 1 or 2 bytes, a word of them in each row.
template <class T>
CUTE_HOST_DEVICE void turn_square(std::uint32_t (&words)[4 / sizeof(T)]) {
  if constexpr (sizeof(T) == 1) {
    std::uint32_t const a = bytes(words[0], words[1], 0x5140), b = bytes(words[0], words[1], 0x7362),
                        c = bytes(words[2], words[3], 0x5140), d = bytes(words[2], words[3], 0x7362);
    words[0] = bytes(a, c, 0x5410);
    words[1] = bytes(a, c, 0x7632);
    words[2] = bytes(b, d, 0x5410);
    words[3] = bytes(b, d, 0x7632);
  } else {
    std::uint32_t const a = bytes(words[0], words[1], 0x5410), b = bytes(words[0], words[1], 0x7632);
    words[0] = a;
    words[1] = b;
  }
}

}  // namespace cornerturn::tile
