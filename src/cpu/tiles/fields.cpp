#include "cpu/tiles/fields.hpp"

#include <hwy/base.h>

#include <algorithm>
#include <array>
#include <cassert>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "base/fork_safe_static.hpp"
#include "cpu/tiles/tiles.hpp"

namespace cornerturn::cpu {

#if defined(__x86_64__)

namespace {

// A word is the elements of a field that fill 8 bytes. A permutation of bytes transposes elements within words, and a transpose
// of 8 x 8 words does the rest. A group is the interleaved elements that make one word of each field: 8 bytes for each field, in
// up to two vectors. Eight groups make one vector of each field.

constexpr int kWord = 8, kVector = 64;  // bytes
constexpr offset kAhead = 512;          // bytes ahead in a row that are prefetched
constexpr int kFields = 16;             // the most fields

/// The permutations of bytes between a group and its words. Fields from the ninth on have words in a second vector. A byte's
/// index counts through two vectors. If a group has 9 or more fields, its second vector ends at the group's end.
struct group_bytes {
  alignas(kVector) std::array<bytes, kVector> words[2];  ///< by byte of the words: the byte in the group
  alignas(kVector) std::array<bytes, kVector> group[2];  ///< by byte of the group: the byte in the words
};

constexpr group_bytes permutations_of(int fields, int size) {
  group_bytes result{};
  int const second = fields > kWord ? (fields - kWord) * kWord : kVector;  // the first byte of the second vector
  for (int field = 0; field < fields; ++field)
    for (int byte = 0; byte < kWord; ++byte) {
      int const in_words = field * kWord + byte, in_group = (byte / size * fields + field) * size + byte % size;
      result.words[in_words / kVector][in_words % kVector] = bytes(in_group < kVector ? in_group : kVector + in_group - second);
      if (in_group < kVector) result.group[0][in_group] = bytes(in_words);
      if (in_group >= second) result.group[1][in_group - second] = bytes(in_words);
    }
  return result;
}

/// The permutations by the binary logarithm of an element's size and by the number of fields.
constexpr auto kPermutations = [] {
  std::array<std::array<group_bytes, kFields + 1>, 4> result{};
  for (int log = 0; log < 4; ++log)
    for (int fields = 1; fields <= kFields; ++fields) result[log][fields] = permutations_of(fields, 1 << log);
  return result;
}();

}  // namespace

HWY_PUSH_ATTRIBUTES("avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi")

namespace {

using words = std::uint64_t __attribute__((vector_size(kVector)));

/// Transposes 8 x 8 words.
HWY_INLINE void transpose_words(__m512i* vectors) {
  words v[8], next[8];
  for (int k = 0; k < 8; ++k) v[k] = words(vectors[k]);
  for (int k = 0; k < 8; k += 2) {
    next[k] = __builtin_shufflevector(v[k], v[k + 1], 0, 8, 2, 10, 4, 12, 6, 14);
    next[k + 1] = __builtin_shufflevector(v[k], v[k + 1], 1, 9, 3, 11, 5, 13, 7, 15);
  }
  for (int k = 0; k < 8; k += 4)
    for (int odd = 0; odd < 2; ++odd) {
      v[k + odd] = __builtin_shufflevector(next[k + odd], next[k + odd + 2], 0, 1, 4, 5, 8, 9, 12, 13);
      v[k + odd + 2] = __builtin_shufflevector(next[k + odd], next[k + odd + 2], 2, 3, 6, 7, 10, 11, 14, 15);
    }
  for (int k = 0; k < 4; ++k) {
    vectors[k] = __m512i(__builtin_shufflevector(v[k], v[k + 4], 0, 1, 4, 5, 8, 9, 12, 13));
    vectors[k + 4] = __m512i(__builtin_shufflevector(v[k], v[k + 4], 2, 3, 6, 7, 10, 11, 14, 15));
  }
}

/// Permutes the bytes of a vector. GCC 12 warns of a variable of `_mm512_permutexvar_epi8` that has no value.
HWY_INLINE __m512i permuted(__m512i v, __m512i indices) { return _mm512_maskz_permutexvar_epi8(~__mmask64(0), indices, v); }

/// Stores vectors of columns that are a pitch apart.
struct pitched_columns {
  bytes* first;
  offset pitch;

  HWY_INLINE void operator()(int column, offset into, __m512i v) const { _mm512_storeu_si512(first + column * pitch + into, v); }
  void finish(offset, offset) const {}
};

/// Streams the cache lines of unaligned columns. A line is made of two successive vectors of a column. The bytes of a column
/// before its first line and after its last one are stored to the caches.
class streamed_columns {
 public:
  streamed_columns(bytes* first, offset const* columns, offset count) {
    assert(count <= kFields);
    for (offset k = 0; k < count; ++k) {
      head_[k] = -reinterpret_cast<std::uintptr_t>(first + columns[k]) % kVector;
      lines_[k] = first + columns[k] + head_[k] - kVector;
    }
  }

  HWY_INLINE void operator()(int column, offset into, __m512i v) {
    auto const head = head_[column];
    auto* const line = lines_[column] + into;
    if (head == 0) return _mm512_stream_si512(reinterpret_cast<__m512i*>(line + kVector), v);
    auto const joined = _mm512_permutex2var_epi8(_mm512_load_si512(kept_[column]), _mm512_loadu_si512(kCount.data() + head), v);
    _mm512_store_si512(kept_[column], v);
    into == 0 ? _mm512_mask_storeu_epi8(line, ~__mmask64(0) << (kVector - head), joined)
              : _mm512_stream_si512(reinterpret_cast<__m512i*>(line), joined);
  }
  void finish(offset count, offset end) {
    for (offset k = 0; k < count; ++k) {
      auto const rest =
          _mm512_maskz_permutexvar_epi8(~__mmask64(0), _mm512_loadu_si512(kCount.data() + head_[k]), _mm512_load_si512(kept_[k]));
      if (head_[k] != 0) _mm512_mask_storeu_epi8(lines_[k] + end, ~__mmask64(0) >> head_[k], rest);
    }
  }

 private:
  /// 0 to 127
  static constexpr auto kCount = [] {
    std::array<bytes, 2 * kVector> result{};
    for (std::size_t k = 0; k < result.size(); ++k) result[k] = bytes(k);
    return result;
  }();

  std::uintptr_t head_[kFields];                        ///< by column: the bytes before its first cache line
  bytes* lines_[kFields];                               ///< by column: the cache line that holds these bytes
  alignas(kVector) bytes kept_[kFields][kVector] = {};  ///< by column: its last vector
};

/// Deinterleaves up to 8 fields or, if `Many`, 9 to 16.
template <bool Many, class Store>
void deinterleave_groups(panel const& p, offset size, Store& store) {
  auto const& table = kPermutations[std::size_t(std::countr_zero(std::uint64_t(size)))][std::size_t(p.columns)];
  auto const first_words = _mm512_load_si512(&table.words[0]), second_words = _mm512_load_si512(&table.words[1]);
  offset const group = p.columns * kWord, second = group - kVector, lanes = kVector / size;
  assert(p.columns <= kFields && Many == (p.columns > kWord) && p.rows >= lanes);
  auto const whole = __mmask8((1 << std::min<offset>(p.columns, kWord)) - 1);
  auto const* const source = p.source + p.row_source[0];
  for (offset at = 0; at < p.rows; at += lanes) {
    offset const row = std::min(at, p.rows - lanes);
    auto const* from = source + row * p.columns * size;
    offset const into = row * size;
    __m512i one[8], two[8];
    for (int g = 0; g < 8; ++g, from += group) {
      if constexpr (Many) {
        auto const begin = _mm512_loadu_si512(from), end = _mm512_loadu_si512(from + second);
        one[g] = _mm512_permutex2var_epi8(begin, first_words, end);
        two[g] = _mm512_permutex2var_epi8(begin, second_words, end);
      } else {
        one[g] = permuted(_mm512_maskz_loadu_epi64(whole, from), first_words);
      }
    }
    transpose_words(one);
    for (int k = 0; k < 8; ++k)
      if (Many || k < p.columns) store(k, into, one[k]);
    if constexpr (Many) {
      transpose_words(two);
      for (int k = 0; k < 8; ++k)
        if (k + 8 < p.columns) store(k + 8, into, two[k]);
    }
  }
  store.finish(p.columns, p.rows * size);
}

/// Interleaves up to 8 fields or, if `Many`, 9 to 16. If `streams` is true, the image is written past the caches.
template <bool Many>
void interleave_groups(panel const& p, offset size, bytes* interleaved, bool streams) {
  auto const& table = kPermutations[std::size_t(std::countr_zero(std::uint64_t(size)))][std::size_t(p.rows)];
  auto const first_bytes = _mm512_load_si512(&table.group[0]), second_bytes = _mm512_load_si512(&table.group[1]);
  offset const group = p.rows * kWord, second = group - kVector, lanes = kVector / size;
  assert(p.rows <= kFields && Many == (p.rows > kWord) && p.columns >= lanes);
  alignas(kVector) bytes lines[kFields * kVector];
  for (offset at = 0; at < p.columns; at += lanes) {
    offset const column = std::min(at, p.columns - lanes);
    auto const* const from = p.source + column * size;
    auto* const image = interleaved + column * p.rows * size;
    auto* to = streams ? lines : image;
    for (offset k = 0; streams && k < p.rows; ++k) __builtin_prefetch(from + p.row_source[k] + kAhead, 0, 3);
    __m512i one[8], two[8];
    for (int k = 0; k < 8; ++k) one[k] = Many || k < p.rows ? _mm512_loadu_si512(from + p.row_source[k]) : _mm512_setzero_si512();
    transpose_words(one);
    if constexpr (Many) {
      for (int k = 0; k < 8; ++k)
        two[k] = k + 8 < p.rows ? _mm512_loadu_si512(from + p.row_source[k + 8]) : _mm512_setzero_si512();
      transpose_words(two);
    }
    for (int g = 0; g < 8; ++g, to += group) {
      if constexpr (Many) {
        _mm512_storeu_si512(to, _mm512_permutex2var_epi8(one[g], first_bytes, two[g]));
        _mm512_storeu_si512(to + second, _mm512_permutex2var_epi8(one[g], second_bytes, two[g]));
      } else {
        _mm512_storeu_si512(to, permuted(one[g], first_bytes));  // a masked store would not be forwarded to the loads below
      }
    }
    if (streams)
      for (offset line = 0; line < p.rows * kVector; line += kVector)
        _mm512_stream_si512(reinterpret_cast<__m512i*>(image + line), _mm512_load_si512(lines + line));
  }
}

}  // namespace

HWY_POP_ATTRIBUTES

bool has_byte_permutes() {
  static constinit fork_safe_static<bool const> known;
  return known.get([] {
    return __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
  }) && instructions().starts_with("AVX3");
}

void deinterleave_fields(panel const& p, offset size) {
  pitched_columns columns{p.image, p.pitch};
  p.columns > kWord ? deinterleave_groups<true>(p, size, columns) : deinterleave_groups<false>(p, size, columns);
}

void deinterleave_fields_nt(panel const& p, offset size, bytes* to, offset const* offsets) {
  streamed_columns columns(to, offsets, p.columns);
  p.columns > kWord ? deinterleave_groups<true>(p, size, columns) : deinterleave_groups<false>(p, size, columns);
}

void interleave_fields(panel const& p, offset size) {
  p.rows > kWord ? interleave_groups<true>(p, size, p.image, false) : interleave_groups<false>(p, size, p.image, false);
}

void interleave_fields_nt(panel const& p, offset size, bytes* to) {
  p.rows > kWord ? interleave_groups<true>(p, size, to, true) : interleave_groups<false>(p, size, to, true);
}

#else

bool has_byte_permutes() { return false; }
void deinterleave_fields(panel const&, offset) {}
void deinterleave_fields_nt(panel const&, offset, bytes*, offset const*) {}
void interleave_fields(panel const&, offset) {}
void interleave_fields_nt(panel const&, offset, bytes*) {}

#endif

}  // namespace cornerturn::cpu
