#pragma once

// Registers of a warp's lanes are transposed by shuffles and by the instructions for matrices, in kernels of your own
// (docs/tile.md). Like tile.cuh, the header is compiled as C++17 by nvcc, by NVRTC and, on the host, by other compilers. It
// includes no other header of cornerturn.

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
  /// The lane's index. threadIdx.x would be another one if the block's width is no multiple of 32.
  __device__ int thread() const {
    unsigned lane;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    return int(lane % 32);
  }
  /// Exchanges values with the lane whose index differs in `mask`.
  template <int Count>
  __device__ void shfl_xor(unsigned (&values)[Count], int mask) const {
    CORNERTURN_TILE_UNROLL
    for (auto& each : values) each = __shfl_xor_sync(~0U, each, mask);
  }
  /// Reads four matrices of 8 x 8 elements of 2 bytes from shared memory and transposes them. Lane l gives the address of row l %
  /// 8 of matrix l / 8, and gets of each matrix the elements of column l / 4 that are in rows 2 (l % 4) and 2 (l % 4) + 1.
  __device__ void ldmatrix_x4_trans(void const* row, unsigned (&matrices)[4]) const {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(matrices[0]), "=r"(matrices[1]), "=r"(matrices[2]), "=r"(matrices[3])
                 : "r"(unsigned(__cvta_generic_to_shared(row)))
                 : "memory");
  }
  /// Transposes a matrix of 8 x 8 elements of 2 bytes. Lane l has the elements of row l / 4 that are in columns 2 (l % 4) and
  /// 2 (l % 4) + 1.
  __device__ unsigned movmatrix(unsigned elements) const {
    asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %0;" : "+r"(elements));
    return elements;
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

/// A step of the transpose of two words, `own` and `other`: the lower one becomes the lower fields of `shift` bits of both, the
/// upper one the upper fields. Returns what `own` becomes, which is one of the two.
CORNERTURN_BOTH unsigned merge_fields(unsigned own, unsigned other, int shift, bool upper) {
  if (shift >= 8) return select_bytes(own, other, shift == 16 ? (upper ? 0x3276 : 0x5410) : (upper ? 0x3715 : 0x6240));
  unsigned const lower = shift == 4 ? 0x0f0f0f0f : shift == 2 ? 0x33333333 : 0x55555555, kept = upper ? ~lower : lower;
  return (own & kept) | ((upper ? other >> shift : other << shift) & ~kept);
}

/// Two lanes whose indices differ in the bit `Step` exchange half of their registers of `Bits` bits; then follow the lower steps.
template <int Step, int Bits, class Context, int Words>
CORNERTURN_BOTH void exchange_words(Context& context, unsigned (&words)[Words]) {
  bool const upper = context.thread() & Step;
  if constexpr (Step * Bits >= 32) {
    constexpr int kApart = Step * Bits / 32;  // words
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
    CORNERTURN_TILE_UNROLL
    for (int i = 0; i < Words; ++i) words[i] = merge_fields(words[i], others[i], Step * Bits, upper);
  }
  if constexpr (Step > 1) exchange_words<Step / 2, Bits>(context, words);
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
  detail::exchange_words<Count / 2, 8 * int(sizeof(T))>(context, words);
  memcpy(registers, words, sizeof(words));
}

/// `exchange` for packed elements of `Bits` bits, 4, 2 or 1, the first of which is in the lowest bits of word 0. A lane has as
/// many elements as there are neighbouring lanes, for example one word: 32 lanes have 32 x 32 bits, or 8 lanes 8 x 8 nibbles.
template <int Bits, class Context, int Words>
CORNERTURN_BOTH void exchange_packed(Context&& context, unsigned (&words)[Words]) {
  static_assert(Bits == 4 || Bits == 2 || Bits == 1, "a packed element must have 4, 2 or 1 bits");
  constexpr int kCount = Words * 32 / Bits;
  static_assert(kCount <= 32 && (Words & (Words - 1)) == 0, "the words must be 1, 2 or 4, with at most 32 elements");
  detail::exchange_words<kCount / 2, Bits>(context, words);
}

/// Transposes a square of packed elements of `Bits` bits, 4, 2 or 1, in one thread. Each row is a word, whose first element is in
/// the lowest bits.
template <int Bits>
CORNERTURN_BOTH void transpose_packed(unsigned (&words)[32 / Bits]) {
  static_assert(Bits == 4 || Bits == 2 || Bits == 1, "a packed element must have 4, 2 or 1 bits");
  CORNERTURN_TILE_UNROLL
  for (int distance = 16 / Bits; distance > 0; distance /= 2) CORNERTURN_TILE_UNROLL
  for (int row = 0; row < 32 / Bits; ++row) {
    if (row & distance) continue;
    unsigned const low = words[row], high = words[row + distance];
    words[row] = detail::merge_fields(low, high, distance * Bits, false);
    words[row + distance] = detail::merge_fields(high, low, distance * Bits, true);
  }
}

/// Reads 32 rows of 16 bytes from shared memory, and transposes them by ldmatrix. Row r is at `row_at(r)`; rows are in different
/// banks if they are with r % 8. The elements have 1 or 2 bytes. Lane l gets rows 8 (l % 4) to 8 (l % 4) + 7, in 16 bytes: of
/// column l / 4 if elements have 2 bytes, of columns 2 (l / 4) and 2 (l / 4) + 1 if they have 1. All lanes of the warp call it.
template <class Context, class RowAt, class T, int Columns>
CORNERTURN_BOTH void load_transposed(Context&& context, RowAt const& row_at, T (&registers)[Columns][8]) {
  static_assert(Columns * sizeof(T) == 2, "elements of 2 bytes must have one column of registers, elements of 1 byte two");
  // A lane's words are pairs of rows. Pair p of lane l is in matrix p ^ l % 4, so that a matrix has each row % 8 once.
  int const lane = context.thread() % 32, four = lane % 8 / 2, quarter = lane % 4;
  unsigned words[4];
  context.ldmatrix_x4_trans(row_at(8 * four + 2 * (lane / 8 ^ four) + lane % 2), words);
  CORNERTURN_TILE_UNROLL
  for (int bit = 1; bit < 4; bit *= 2) {
    unsigned const before[] = {words[0], words[1], words[2], words[3]};
    CORNERTURN_TILE_UNROLL
    for (int i = 0; i < 4; ++i) words[i] = quarter & bit ? before[i ^ bit] : before[i];
  }
  if constexpr (sizeof(T) == 1) {
    unsigned const each[] = {words[0], words[1], words[2], words[3]};
    CORNERTURN_TILE_UNROLL
    for (int i = 0; i < 4; ++i) words[i] = detail::select_bytes(each[i % 2 * 2], each[i % 2 * 2 + 1], i < 2 ? 0x6420 : 0x7531);
  }
  memcpy(registers, words, sizeof(words));
}

/// Transposes a matrix of elements of 2 bytes by movmatrix. The warp has it as mma's accumulators: word (i, k) of lane l has the
/// elements of row 8 i + l / 4 that are in columns 8 k + 2 (l % 4) and 8 k + 2 (l % 4) + 1. All lanes of the warp call it.
template <class Context, int Down, int Across>
CORNERTURN_BOTH void transpose_fragments(Context&& context, unsigned const (&from)[Down][Across], unsigned (&to)[Across][Down]) {
  CORNERTURN_TILE_UNROLL
  for (int i = 0; i < Down; ++i) CORNERTURN_TILE_UNROLL
  for (int k = 0; k < Across; ++k) to[k][i] = context.movmatrix(from[i][k]);
}

}  // namespace tile
}  // namespace cornerturn
#undef CORNERTURN_BOTH
#undef CORNERTURN_TILE_UNROLL
