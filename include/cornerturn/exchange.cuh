#pragma once

// Registers of a warp's lanes are transposed by shuffles, in kernels of your own (docs/tile.md). Like tile.cuh, the header is
// compiled as C++17 by nvcc, by NVRTC and, on the host, by other compilers. It includes no other header of cornerturn.

#ifndef __CUDACC_RTC__
#include <cstring>
#endif
#ifdef __CUDACC__
#define CORNERTURN_BOTH __host__ __device__ __forceinline__
#else
#define CORNERTURN_BOTH inline
#endif
#ifdef __CUDA_ARCH__
#define CORNERTURN_TILE_UNROLL _Pragma("unroll")
#else
#define CORNERTURN_TILE_UNROLL
#endif
namespace cornerturn {
namespace tile {

#ifdef __CUDACC__
/// The lanes of a GPU's warp. Any object with these functions can take its place.
struct warp_lanes {
  __device__ int thread() const { return int(threadIdx.x); }
  /// Exchanges values with the lane whose index differs in `mask`.
  template <int Count>
  __device__ void shfl_xor(unsigned (&values)[Count], int mask) const {
    CORNERTURN_TILE_UNROLL
    for (auto& each : values) each = __shfl_xor_sync(~0U, each, mask);
  }
};
#endif

namespace detail {
/// PRMT: the four bytes of `a` and `b` whose numbers are the digits of a selector.
CORNERTURN_BOTH unsigned select_bytes(unsigned a, unsigned b, unsigned selector) {
#ifdef __CUDA_ARCH__
  return __byte_perm(a, b, selector);
#else
  auto const both = static_cast<unsigned long long>(b) << 32 | a;
  unsigned result = 0;
  for (unsigned i = 0; i < 4; ++i) result |= static_cast<unsigned>(both >> (selector >> 4 * i & 7) * 8 & 255) << 8 * i;
  return result;
#endif
}

/// Two lanes whose indices differ in the bit `Step` exchange half of their registers of `Bytes` bytes; then follow the lower
/// steps.
template <int Step, int Bytes, class Context, int Words>
CORNERTURN_BOTH void exchange_words(Context& context, unsigned (&words)[Words]) {
  bool const upper = context.thread() & Step;
  if constexpr (Step * Bytes >= 4) {
    constexpr int kApart = Step * Bytes / 4;  // words
    unsigned given[Words / 2];
    CORNERTURN_TILE_UNROLL
    for (int i = 0; i < Words / 2; ++i) {
      int const lower = i / kApart * 2 * kApart + i % kApart;
      given[i] = upper ? words[lower] : words[lower + kApart];
    }
    context.shfl_xor(given, Step);
    CORNERTURN_TILE_UNROLL
    for (int i = 0; i < Words / 2; ++i) {
      int const lower = i / kApart * 2 * kApart + i % kApart;
      words[lower] = upper ? given[i] : words[lower];
      words[lower + kApart] = upper ? words[lower + kApart] : given[i];
    }
  } else {
    unsigned others[Words];
    CORNERTURN_TILE_UNROLL
    for (int i = 0; i < Words; ++i) others[i] = words[i];
    context.shfl_xor(others, Step);
    unsigned const selector = Step * Bytes == 2 ? (upper ? 0x3276 : 0x5410) : (upper ? 0x3715 : 0x6240);
    CORNERTURN_TILE_UNROLL
    for (int i = 0; i < Words; ++i) words[i] = select_bytes(words[i], others[i], selector);
  }
  if constexpr (Step > 1) exchange_words<Step / 2, Bytes>(context, words);
}
}  // namespace detail

/// Transposes `Count` registers of each of `Count` neighbouring lanes: afterwards register i of lane k has what register k of
/// lane i had, where lanes are counted from a multiple of `Count`. `Count` is a power of two and at most 32. Registers have 1, 2,
/// 4, 8 or 16 bytes, and at least 4 bytes together. All lanes of the warp call it.
template <class Context, class T, int Count>
CORNERTURN_BOTH void exchange(Context&& context, T (&registers)[Count]) {
  static_assert(Count >= 2 && Count <= 32 && (Count & (Count - 1)) == 0, "the registers must be 2, 4, 8, 16 or 32");
  static_assert((sizeof(T) & (sizeof(T) - 1)) == 0 && sizeof(T) <= 16, "a register must have 1, 2, 4, 8 or 16 bytes");
  static_assert(Count * sizeof(T) >= 4, "the registers must have 4 bytes or more together");
  unsigned words[Count * sizeof(T) / 4];
  memcpy(words, registers, sizeof(words));
  detail::exchange_words<Count / 2, int(sizeof(T))>(context, words);
  memcpy(registers, words, sizeof(words));
}

}  // namespace tile
}  // namespace cornerturn
#undef CORNERTURN_BOTH
#undef CORNERTURN_TILE_UNROLL
