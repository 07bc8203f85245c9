#pragma once

#include <cstdint>
#include <cstring>

#include <cute/tensor.hpp>

namespace cornerturn::tile {

/// The four bytes that begin `offset` bytes after the begin of `low`, in the 8 bytes of two consecutive words.
CUTE_HOST_DEVICE std::uint32_t funnel_shift(std::uint32_t low, std::uint32_t high, int offset) {
#ifdef __CUDA_ARCH__
  return __funnelshift_r(low, high, unsigned(8 * offset));
#else
  return std::uint32_t((std::uint64_t(high) << 32 | low) >> (8 * offset));
#endif
}

/// __byte_perm: the hexadecimal digits of `selector`, lowest first, are the indices of the bytes to take from the two words.
CUTE_HOST_DEVICE std::uint32_t byte_perm(std::uint32_t low, std::uint32_t high, unsigned selector) {
#ifdef __CUDA_ARCH__
  return __byte_perm(low, high, selector);
#else
  auto const both = std::uint64_t(high) << 32 | low;
  std::uint32_t result = 0;
  for (int i = 0; i < 4; ++i) result |= std::uint32_t(both >> (selector >> 4 * i & 7) * 8 & 0xff) << 8 * i;
  return result;
#endif
}

/// Permutes the first four words: word i becomes what word i ^ `mask` was.
template <int N>
CUTE_HOST_DEVICE void xor_words(std::uint32_t (&words)[N], int mask) {
  CUTE_UNROLL
  for (int bit = 1; bit < 4; bit *= 2) {
    std::uint32_t const before[] = {words[0], words[1], words[2], words[3]};
    CUTE_UNROLL
    for (int i = 0; i < 4; ++i) words[i] = mask & bit ? before[i ^ bit] : before[i];
  }
}
CUTE_HOST_DEVICE void xor_words(std::uint8_t (&unit)[16], int mask) {
  std::uint32_t words[4];
  std::memcpy(words, unit, sizeof(words));
  xor_words(words, mask);
  std::memcpy(unit, words, sizeof(words));
}

/// Transposes a square of 1- or 2-byte elements. Each row of the square is one word.
template <class T>
CUTE_HOST_DEVICE void transpose_square(std::uint32_t (&words)[4 / sizeof(T)]) {
  if constexpr (sizeof(T) == 1) {
    std::uint32_t const a = byte_perm(words[0], words[1], 0x5140), b = byte_perm(words[0], words[1], 0x7362),
                        c = byte_perm(words[2], words[3], 0x5140), d = byte_perm(words[2], words[3], 0x7362);
    words[0] = byte_perm(a, c, 0x5410);
    words[1] = byte_perm(a, c, 0x7632);
    words[2] = byte_perm(b, d, 0x5410);
    words[3] = byte_perm(b, d, 0x7632);
  } else {
    std::uint32_t const a = byte_perm(words[0], words[1], 0x5410), b = byte_perm(words[0], words[1], 0x7632);
    words[0] = a;
    words[1] = b;
  }
}

}  // namespace cornerturn::tile
