// Included once for each target (set of instructions), hence no #pragma once.

#if defined(CORNERTURN_CPU_TURN) == defined(HWY_TARGET_TOGGLE)
#ifdef CORNERTURN_CPU_TURN
#undef CORNERTURN_CPU_TURN
#else
#define CORNERTURN_CPU_TURN
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

HWY_BEFORE_NAMESPACE();
namespace cornerturn::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using bytes = std::uint8_t;
using offset = std::int64_t;

constexpr offset kLine = 64;  ///< of the caches

/// Part of an image: rows x columns elements.
struct part {
  bytes const* source;
  offset const* row_source;
  offset rows, columns;
  bytes* image;
  offset pitch;
  bytes const* source_end;
};

#if HWY_TARGET == HWY_SCALAR  // for processors that Highway knows no vectors of

template <int Size>
void turn_elements(part const& p, bool, bool) {
  for (offset i = 0; i < p.rows; ++i)
    for (offset j = 0; j < p.columns; ++j)
      std::memcpy(p.image + j * p.pitch + i * Size, p.source + p.row_source[i] + j * Size, Size);
}

HWY_INLINE void copy_unit(bytes* to, bytes const* from, offset count) { std::memcpy(to, from, std::size_t(count)); }

HWY_INLINE offset stream_lines(bytes* to, bytes const* from, offset count) {
  offset const whole = count / kLine * kLine;
  std::memcpy(to, from, std::size_t(whole));
  return whole;
}

#else

/// The lanes that hold one element; of 16 bytes there is one to a block.
template <int Size>
struct lane_of;
template <>
struct lane_of<1> {
  using type = std::uint8_t;
};
template <>
struct lane_of<2> {
  using type = std::uint16_t;
};
template <>
struct lane_of<4> {
  using type = std::uint32_t;
};
template <>
struct lane_of<8> {
  using type = std::uint64_t;
};
template <>
struct lane_of<16> {
  using type = std::uint64_t;
};

constexpr offset kBlock = 16;

/// Stores the blocks of a vector `step` bytes apart.
template <class D, class V>
HWY_INLINE void store_blocks(D d, V v, bytes* to, offset step) {
  if constexpr (hn::MaxLanes(D()) == kBlock) {
    hn::StoreU(v, d, to);
  } else {
    constexpr hn::Half<D> half;
    store_blocks(half, hn::LowerHalf(half, v), to, step);
    store_blocks(half, hn::UpperHalf(half, v), to + offset(hn::MaxLanes(half)) / kBlock * step, step);
  }
}

/// Turns 16 / Size rows of a vector's bytes: column after column goes to `to`, `pitch` bytes apart, the first `columns` of them.
/// By interleaving, stage after stage, the lanes of row k with those of row k + half of them.
template <int Size, class D>
HWY_INLINE void turn(D d, bytes const* const* rows, offset at, bytes* to, offset pitch, int columns = int(kBlock) / Size) {
  constexpr int kRows = int(kBlock) / Size;
  using V = hn::Vec<D>;
  const hn::Repartition<typename lane_of<Size>::type, D> lanes;
  V held[kRows], next[kRows];
  for (int k = 0; k < kRows; ++k) held[k] = hn::LoadU(d, rows[k] + at);
  for (int stage = 1; stage < kRows; stage *= 2) {
    for (int k = 0; k < kRows / 2; ++k) {
      auto const low = hn::BitCast(lanes, held[k]), high = hn::BitCast(lanes, held[k + kRows / 2]);
      next[2 * k] = hn::BitCast(d, hn::InterleaveLower(lanes, low, high));
      next[2 * k + 1] = hn::BitCast(d, hn::InterleaveUpper(lanes, low, high));
    }
    for (int k = 0; k < kRows; ++k) held[k] = next[k];
  }
  for (int k = 0; k < columns; ++k) store_blocks(d, held[k], to + k * pitch, kRows * pitch);
}

/// Calls body(rows' pointers, first row) for as many rows as a square has, the last ones again where they are no multiple.
template <int Size, class Body>
HWY_INLINE void for_rows(part const& p, offset begin, offset end, Body const& body) {
  constexpr offset kRows = kBlock / Size;
  for (offset at = begin; at < end; at += kRows) {
    offset const first = std::max<offset>(0, std::min(at, p.rows - kRows));
    bytes const* rows[kRows];
    for (offset k = 0; k < kRows; ++k) rows[k] = p.source + p.row_source[std::min(first + k, p.rows - 1)];
    body(rows, first);
  }
}

/// Rows have a vector's bytes at least; a column of the image has a block's bytes, or the vector is a block. As many rows as fill
/// cache lines of the image are read together.
template <int Size, class D>
void turn_wide(D d, part const& p) {
  constexpr offset kColumns = offset(hn::MaxLanes(D())) / Size, kTogether = std::min<offset>(16, kLine / Size);
  for (offset begin = 0; begin < p.rows; begin += kTogether)
    for (offset at = 0; at < p.columns; at += kColumns) {
      offset const column = std::min(at, p.columns - kColumns);
      for_rows<Size>(p, begin, std::min(begin + kTogether, p.rows), [&](bytes const* const* rows, offset row) {
        turn<Size>(d, rows, column * Size, p.image + column * p.pitch + row * Size, p.pitch);
      });
    }
}

/// Rows have fewer bytes than a block: blocks reach into what follows them, unless that is the end.
template <int Size>
void turn_narrow(part const& p) {
  constexpr offset kRows = kBlock / Size;
  const hn::FixedTag<bytes, kBlock> block;
  for_rows<Size>(p, 0, p.rows, [&](bytes const** rows, offset row) {
    alignas(kBlock) bytes copies[kRows][kBlock];
    for (offset k = 0; k < kRows; ++k)
      if (p.source_end - rows[k] < kBlock) {
        std::memcpy(copies[k], rows[k], std::size_t(p.columns * Size));
        rows[k] = copies[k];
      }
    turn<Size>(block, rows, 0, p.image + row * Size, p.pitch, int(p.columns));
  });
}

/// Elements of `Count` rows by turns, as pixels have them: the image has nothing between its columns.
template <int Size, int Count>
void join(part const& p) {
  using T = typename lane_of<Size>::type;
  const hn::ScalableTag<T> d;
  offset const lanes = offset(hn::Lanes(d));
  T const* rows[Count];
  for (int k = 0; k < Count; ++k) rows[k] = reinterpret_cast<T const*>(p.source + p.row_source[k]);
  auto* const to = reinterpret_cast<T*>(p.image);
  for (offset at = 0; at < p.columns; at += lanes) {
    offset const i = std::min(at, p.columns - lanes);
    auto const load = [&](int k) { return hn::LoadU(d, rows[k] + i); };
    if constexpr (Count == 2) hn::StoreInterleaved2(load(0), load(1), d, to + i * Count);
    if constexpr (Count == 3) hn::StoreInterleaved3(load(0), load(1), load(2), d, to + i * Count);
    if constexpr (Count == 4) hn::StoreInterleaved4(load(0), load(1), load(2), load(3), d, to + i * Count);
  }
}

/// The other way round: the source has nothing between its rows of `Count` elements.
template <int Size, int Count>
void part_rows(part const& p) {
  using T = typename lane_of<Size>::type;
  const hn::ScalableTag<T> d;
  offset const lanes = offset(hn::Lanes(d));
  auto const* const from = reinterpret_cast<T const*>(p.source);
  auto const column = [&](int k) { return reinterpret_cast<T*>(p.image + k * p.pitch); };
  for (offset at = 0; at < p.rows; at += lanes) {
    offset const i = std::min(at, p.rows - lanes);
    auto v0 = hn::Undefined(d), v1 = v0, v2 = v0, v3 = v0;
    if constexpr (Count == 2) hn::LoadInterleaved2(d, from + i * Count, v0, v1);
    if constexpr (Count == 3) hn::LoadInterleaved3(d, from + i * Count, v0, v1, v2);
    if constexpr (Count == 4) hn::LoadInterleaved4(d, from + i * Count, v0, v1, v2, v3);
    hn::StoreU(v0, d, column(0) + i);
    hn::StoreU(v1, d, column(1) + i);
    if constexpr (Count > 2) hn::StoreU(v2, d, column(2) + i);
    if constexpr (Count > 3) hn::StoreU(v3, d, column(3) + i);
  }
}

template <int Size>
void turn_elements(part const& p, bool dense_source, bool dense_image) {
  if constexpr (Size < 16) {
    offset const lanes = offset(hn::Lanes(hn::ScalableTag<typename lane_of<Size>::type>()));
    if (dense_image && p.rows > 1 && p.rows <= 4 && p.columns >= lanes)
      return p.rows == 2 ? join<Size, 2>(p) : p.rows == 3 ? join<Size, 3>(p) : join<Size, 4>(p);
    if (dense_source && p.columns > 1 && p.columns <= 4 && p.rows >= lanes)
      return p.columns == 2 ? part_rows<Size, 2>(p) : p.columns == 3 ? part_rows<Size, 3>(p) : part_rows<Size, 4>(p);
  }
  offset const row = p.columns * Size;
  if (row < kBlock) return turn_narrow<Size>(p);
  // blocks that reach into the next column are overwritten only if columns are stored in order
  bool const overlapping = p.rows * Size < kBlock && p.pitch < kBlock;
  if (const hn::CappedTag<bytes, 64> d; !overlapping && row >= offset(hn::Lanes(d))) return turn_wide<Size>(d, p);
  if (const hn::CappedTag<bytes, 32> d; !overlapping && row >= offset(hn::Lanes(d))) return turn_wide<Size>(d, p);
  turn_wide<Size>(hn::FixedTag<bytes, kBlock>(), p);
}

/// Copies `count` bytes, with the fewest accesses where they are few.
HWY_INLINE void copy_unit(bytes* to, bytes const* from, offset count) {
  if (count >= kBlock) {
    const hn::FixedTag<bytes, kBlock> block;
    for (offset at = 0; at < count; at += kBlock) {
      offset const i = std::min(at, count - kBlock);
      hn::StoreU(hn::LoadU(block, from + i), block, to + i);
    }
  } else if (count >= 8) {
    std::uint64_t head, tail;
    std::memcpy(&head, from, 8), std::memcpy(&tail, from + count - 8, 8);
    std::memcpy(to, &head, 8), std::memcpy(to + count - 8, &tail, 8);
  } else if (count >= 4) {
    std::uint32_t head, tail;
    std::memcpy(&head, from, 4), std::memcpy(&tail, from + count - 4, 4);
    std::memcpy(to, &head, 4), std::memcpy(to + count - 4, &tail, 4);
  } else {
    std::uint8_t const head = from[0], middle = from[count / 2], tail = from[count - 1];
    to[0] = head, to[count / 2] = middle, to[count - 1] = tail;
  }
}

/// Whole vectors of a run that begins on a cache line, past the caches. Returns how many bytes that were.
HWY_INLINE offset stream_lines(bytes* to, bytes const* from, offset count) {
  const hn::CappedTag<bytes, kLine> d;
  offset const whole = count / kLine * kLine, step = offset(hn::Lanes(d));
  for (offset at = 0; at < whole; at += step) hn::Stream(hn::LoadU(d, from + at), d, to + at);
  return whole;
}

#endif  // HWY_TARGET == HWY_SCALAR

}  // namespace cornerturn::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
