// Included once for each target (set of instructions), hence no #pragma once.

#if defined(CORNERTURN_CPU_TRANSPOSE) == defined(HWY_TARGET_TOGGLE)
#ifdef CORNERTURN_CPU_TRANSPOSE
#undef CORNERTURN_CPU_TRANSPOSE
#else
#define CORNERTURN_CPU_TRANSPOSE
#endif

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "plan/cpu_plan.hpp"

HWY_BEFORE_NAMESPACE();
namespace cornerturn::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using bytes = std::uint8_t;
using offset = std::int64_t;

constexpr offset kLine = 64;   ///< bytes of a cache line
constexpr offset kBlock = 16;  ///< bytes of a block of a vector; a lookup or an interleave stays within a block
/// The bytes ahead of a load in its row that are prefetched. More rows are read at once than the hardware's prefetcher follows.
constexpr offset kPrefetchDistance = 128;

/// A panel is some rows of a tile, and the memory that receives their transpose: a part of the image, or of the destination.
struct panel {
  bytes const* source;
  offset const* row_source;  ///< by row: bytes from `source`
  offset rows, columns;      ///< units
  bytes* image;
  offset pitch;             ///< bytes from one column of `image` to the next
  bytes const* source_end;  ///< the end of what may be read
};

HWY_INLINE std::uintptr_t address_of(bytes const* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

HWY_INLINE std::uintptr_t page_of(bytes const* pointer) { return address_of(pointer) / cpu_plan::kPage; }

/// True if memory may be read up to `end`, which is less than a page after a row's end. A page after the row's last page may not
/// be mapped.
HWY_INLINE bool may_read(panel const& p, bytes const* row_end, bytes const* end) {
  return end <= row_end || (end <= p.source_end && page_of(row_end - 1) == page_of(end - 1));
}

#if HWY_TARGET == HWY_SCALAR  // Highway knows no vectors of the processor

template <int Size>
bool stays_inside(panel const&, cpu_plan const&) {
  return true;
}

template <int Size>
void transpose_elements(panel const& p, cpu_plan const&) {
  for (offset i = 0; i < p.rows; ++i)
    for (offset j = 0; j < p.columns; ++j)
      std::memcpy(p.image + j * p.pitch + i * Size, p.source + p.row_source[i] + j * Size, Size);
}

HWY_INLINE void copy_unit(bytes* to, bytes const* from, offset count) { std::memcpy(to, from, std::size_t(count)); }

#else

/// The lane type that holds one element. An element of 16 bytes has two lanes.
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

/// Transposes the lanes of 16 / Size rows of a vector's bytes: afterwards block b of vector k is column b * 16 / Size + k. Each
/// stage interleaves the lanes of row k with those of row k + half the rows.
template <int Size, class D, class V>
HWY_INLINE void transpose_lanes(D d, bytes const* const* rows, offset at, V* columns) {
  constexpr int kRows = int(kBlock) / Size;
  const hn::Repartition<typename lane_of<Size>::type, D> lanes;
  V next[kRows];
  for (int k = 0; k < kRows; ++k) columns[k] = hn::LoadU(d, rows[k] + at);
  for (int stage = 1; stage < kRows; stage *= 2) {
    for (int k = 0; k < kRows / 2; ++k) {
      auto const low = hn::BitCast(lanes, columns[k]), high = hn::BitCast(lanes, columns[k + kRows / 2]);
      next[2 * k] = hn::BitCast(d, hn::InterleaveLower(lanes, low, high));
      next[2 * k + 1] = hn::BitCast(d, hn::InterleaveUpper(lanes, low, high));
    }
    for (int k = 0; k < kRows; ++k) columns[k] = next[k];
  }
}

/// Transposes a square of blocks: as many vectors as a vector has blocks.
template <class D, class V>
HWY_INLINE void transpose_blocks(D d, V* vectors) {
  if constexpr (hn::MaxLanes(D()) == 2 * kBlock) {
    auto const first = vectors[0], second = vectors[1];
    vectors[0] = hn::ConcatLowerLower(d, second, first);
    vectors[1] = hn::ConcatUpperUpper(d, second, first);
  } else if constexpr (hn::MaxLanes(D()) == 4 * kBlock) {
    auto const even_low = hn::ConcatLowerLower(d, vectors[2], vectors[0]),
               odd_low = hn::ConcatLowerLower(d, vectors[3], vectors[1]),
               even_high = hn::ConcatUpperUpper(d, vectors[2], vectors[0]),
               odd_high = hn::ConcatUpperUpper(d, vectors[3], vectors[1]);
    vectors[0] = hn::OddEvenBlocks(hn::SwapAdjacentBlocks(odd_low), even_low);
    vectors[1] = hn::OddEvenBlocks(odd_low, hn::SwapAdjacentBlocks(even_low));
    vectors[2] = hn::OddEvenBlocks(hn::SwapAdjacentBlocks(odd_high), even_high);
    vectors[3] = hn::OddEvenBlocks(odd_high, hn::SwapAdjacentBlocks(even_high));
  }
}

/// Stores a vector `into` bytes into a column of the image.
struct into_image {
  bytes* image;
  offset pitch;

  template <class D, class V>
  HWY_INLINE void operator()(D d, V v, offset column, offset into) const {
    hn::StoreU(v, d, image + column * pitch + into);
  }
};
/// Transposes a square: a vector's bytes of each row become a vector's bytes of as many columns, and put(d, vector, column, into)
/// stores each of them.
template <int Size, class D, class Put>
HWY_INLINE void transpose_square(D d, bytes const* const* rows, offset at, offset column, offset into, Put const& put) {
  constexpr int kRows = int(kBlock) / Size, kBlocks = int(hn::MaxLanes(D()) / kBlock);
  hn::Vec<D> columns[kBlocks][kRows];
  for (int g = 0; g < kBlocks; ++g) transpose_lanes<Size>(d, rows + g * kRows, at, columns[g]);
  for (int k = 0; k < kRows; ++k) {
    hn::Vec<D> across[kBlocks];
    for (int g = 0; g < kBlocks; ++g) across[g] = columns[g][k];
    transpose_blocks(d, across);
    for (int b = 0; b < kBlocks; ++b) put(d, across[b], column + b * kRows + k, into);
  }
}

/// Calls body(row pointers, first row) for every `Count` rows. If the number of rows is no multiple of `Count`, the last call
/// repeats rows of the call before.
template <offset Count, class Body>
HWY_INLINE void for_rows(panel const& p, Body const& body) {
  for (offset at = 0; at < p.rows; at += Count) {
    offset const first = std::max<offset>(0, std::min(at, p.rows - Count));
    bytes const* rows[Count];
    for (offset k = 0; k < Count; ++k) rows[k] = p.source + p.row_source[std::min(first + k, p.rows - 1)];
    body(rows, first);
  }
}

/// Transposes a panel by squares. Rows and columns have a vector's bytes at least.
template <int Size, class D>
void transpose_wide(D d, panel const& p) {
  constexpr offset kLanes = offset(hn::MaxLanes(D())) / Size;
  for_rows<kLanes>(p, [&](bytes const* const* rows, offset row) {
    for (offset at = 0; at < p.columns; at += kLanes) {
      offset const column = std::min(at, p.columns - kLanes);
      for (offset k = 0; k < kLanes; ++k) hwy::Prefetch(rows[k] + column * Size + kPrefetchDistance);
      transpose_square<Size>(d, rows, column * Size, column, row * Size, into_image{p.image, p.pitch});
    }
  });
}

/// Transposes the lanes of a vector's bytes of 16 / Size rows, and stores the vectors one after another.
template <int Size, class D>
HWY_INLINE void stage_rows(D d, bytes const* const* rows, offset at, bytes* to) {
  constexpr int kRows = int(kBlock) / Size;
  hn::Vec<D> columns[kRows];
  transpose_lanes<Size>(d, rows, at, columns);
  for (int k = 0; k < kRows; ++k) hn::Store(columns[k], d, to + k * offset(hn::MaxLanes(D())));
}

/// Transposes 16 / Size rows at once and stores blocks. Columns have a block's bytes at least, or their pitch has; else a block
/// reaches into the next column, which is stored later.
template <int Size, class D>
void transpose_flat(D d, panel const& p) {
  constexpr int kRows = int(kBlock) / Size;
  constexpr offset kColumns = offset(hn::MaxLanes(D())) / Size;
  for_rows<kRows>(p, [&](bytes const* const* rows, offset row) {
    for (offset at = 0; at < p.columns; at += kColumns) {
      offset const column = std::min(at, p.columns - kColumns);
      hn::Vec<D> columns[kRows];
      transpose_lanes<Size>(d, rows, column * Size, columns);
      for (int k = 0; k < kRows; ++k) store_blocks(d, columns[k], p.image + (column + k) * p.pitch + row * Size, kRows * p.pitch);
    }
  });
}

/// Transposes rows that have fewer bytes than a block. Blocks are loaded beyond a row's end, unless memory may end there.
template <int Size>
void transpose_narrow(panel const& p) {
  constexpr int kRows = int(kBlock) / Size;
  const hn::FixedTag<bytes, kBlock> block;
  for_rows<kRows>(p, [&](bytes const** rows, offset row) {
    alignas(kBlock) bytes copies[kRows][kBlock];
    for (int k = 0; k < kRows; ++k)
      if (!may_read(p, rows[k] + p.columns * Size, rows[k] + kBlock)) {
        std::memcpy(copies[k], rows[k], std::size_t(p.columns * Size));
        rows[k] = copies[k];
      }
    hn::Vec<decltype(block)> columns[kRows];
    transpose_lanes<Size>(block, rows, 0, columns);
    for (offset k = 0; k < p.columns; ++k) hn::StoreU(columns[k], block, p.image + k * p.pitch + row * Size);
  });
}

/// Interleaves the elements of `Count` rows, as pixels are stored, from column `first` to `end`. There are a vector's elements of
/// columns at least.
template <int Size, int Count, class Put>
void interleave(panel const& p, offset first, offset end, Put const& put) {
  using T = typename lane_of<Size>::type;
  const hn::ScalableTag<T> d;
  offset const lanes = offset(hn::Lanes(d));
  T const* rows[Count];
  for (int k = 0; k < Count; ++k) rows[k] = reinterpret_cast<T const*>(p.source + p.row_source[k]);
  for (offset at = first; at < end; at += lanes) {
    offset const i = std::min(at, end - lanes);
    auto* const to = reinterpret_cast<T*>(put.room(i * Count * Size));
    auto const load = [&](int k) HWY_ATTR { return hn::LoadU(d, rows[k] + i); };
    if constexpr (Count == 2) hn::StoreInterleaved2(load(0), load(1), d, to);
    if constexpr (Count == 3) hn::StoreInterleaved3(load(0), load(1), load(2), d, to);
    if constexpr (Count == 4) hn::StoreInterleaved4(load(0), load(1), load(2), load(3), d, to);
    put.done(i * Count * Size, lanes * Count * Size);
  }
}

/// Stores interleaved elements in the image.
struct interleaved_image {
  bytes* image;
  HWY_INLINE bytes* room(offset at) const { return image + at; }
  HWY_INLINE void done(offset, offset) const {}
};

/// Deinterleaves rows of `Count` elements, which follow each other in the source without a gap. There are a vector's elements of
/// rows at least.
template <int Size, int Count, class Put>
void deinterleave(bytes const* source, offset rows, Put const& put) {
  using T = typename lane_of<Size>::type;
  const hn::ScalableTag<T> d;
  offset const lanes = offset(hn::Lanes(d));
  auto const* const from = reinterpret_cast<T const*>(source);
  for (offset at = 0; at < rows; at += lanes) {
    offset const i = std::min(at, rows - lanes);
    auto v0 = hn::Undefined(d), v1 = v0, v2 = v0, v3 = v0;
    if constexpr (Count == 2) hn::LoadInterleaved2(d, from + i * Count, v0, v1);
    if constexpr (Count == 3) hn::LoadInterleaved3(d, from + i * Count, v0, v1, v2);
    if constexpr (Count == 4) hn::LoadInterleaved4(d, from + i * Count, v0, v1, v2, v3);
    const hn::Repartition<bytes, decltype(d)> all;
    put(all, hn::BitCast(all, v0), 0, i * Size);
    put(all, hn::BitCast(all, v1), 1, i * Size);
    if constexpr (Count > 2) put(all, hn::BitCast(all, v2), 2, i * Size);
    if constexpr (Count > 3) put(all, hn::BitCast(all, v3), 3, i * Size);
  }
}

/// Calls body(count) with the constant that `count` is, from 2 to 4.
template <class Body>
HWY_INLINE void with_fields(offset count, Body const& body) {
  if (count == 2) return body(std::integral_constant<int, 2>());
  if (count == 3) return body(std::integral_constant<int, 3>());
  body(std::integral_constant<int, 4>());
}

/// True if one side has 2 to 4 rows (or columns) and the other at least a vector's elements, so that the transpose is an
/// interleave (or a deinterleave).
template <int Size>
bool are_fields(offset count, offset others) {
  return Size < kBlock && count > 1 && count <= 4 && others >= offset(hn::Lanes(hn::ScalableTag<typename lane_of<Size>::type>()));
}

/// True if `transpose_elements` stores nothing behind the end of a column, so that it may store to the destination.
template <int Size>
bool stays_inside(panel const& p, cpu_plan const& plan) {
  return (plan.store.dense && are_fields<Size>(p.rows, p.columns)) || (plan.load.dense && are_fields<Size>(p.columns, p.rows)) ||
         std::min(p.rows, p.columns) * Size >= kBlock;
}

/// Transposes a panel of elements by the widest vectors that its rows and columns fill.
template <int Size>
void transpose_elements(panel const& p, cpu_plan const& plan) {
  if constexpr (Size < kBlock) {
    if (plan.store.dense && are_fields<Size>(p.rows, p.columns))
      return with_fields(p.rows, [&](auto count) { interleave<Size, count>(p, 0, p.columns, interleaved_image{p.image}); });
    if (plan.load.dense && are_fields<Size>(p.columns, p.rows))
      return with_fields(p.columns, [&](auto count) {
        deinterleave<Size, count>(p.source + p.row_source[0], p.rows, into_image{p.image, p.pitch});
      });
  }
  offset const row = p.columns * Size, column = p.rows * Size;
  if (row < kBlock) return transpose_narrow<Size>(p);
  auto const suits = [&](auto d) { return std::min(row, column) >= offset(hn::Lanes(d)); };
  if (const hn::CappedTag<bytes, kLine> d; suits(d)) return transpose_wide<Size>(d, p);
  if (const hn::CappedTag<bytes, kLine / 2> d; suits(d)) return transpose_wide<Size>(d, p);
  const hn::CappedTag<bytes, kLine> widest;
  if (row >= offset(hn::Lanes(widest)) && (column >= kBlock || p.pitch >= kBlock)) return transpose_flat<Size>(widest, p);
  transpose_flat<Size>(hn::FixedTag<bytes, kBlock>(), p);
}

/// Copies `count` bytes with the fewest accesses.
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
  } else if (count >= 2) {
    std::uint16_t head, tail;
    std::memcpy(&head, from, 2), std::memcpy(&tail, from + count - 2, 2);
    std::memcpy(to, &head, 2), std::memcpy(to + count - 2, &tail, 2);
  } else {
    *to = *from;
  }
}

#endif  // HWY_TARGET == HWY_SCALAR

/// Transposes units of at most `Width` bytes, each by one load and one store of `Width` bytes, as many rows at once as fill a
/// cache line. Stores that reach too far in the image reach into rows that are stored later; loads stay within memory that may be
/// read.
template <int Width>
void copy_short_units(panel const& p, offset unit) {
  offset const group = std::max<offset>(1, kLine / unit);
  for (offset first = 0; first < p.rows; first += group) {
    offset const end = std::min(first + group, p.rows);
    auto const inside = [&](offset i) {
      auto const* const row_end = p.source + p.row_source[i] + p.columns * unit;
      return (p.rows - i) * unit >= Width && may_read(p, row_end, row_end - unit + Width);
    };
    bool all = true;
    for (offset i = first; i < end; ++i) all &= inside(i);
    for (offset j = 0; j < p.columns; ++j) {
      auto* to = p.image + j * p.pitch + first * unit;
      for (offset i = first; i < end; ++i, to += unit) {
        auto const* const from = p.source + p.row_source[i] + j * unit;
        all ? void(std::memcpy(to, from, Width)) : copy_unit(to, from, unit);
      }
    }
  }
}

/// Transposes units of any size.
HWY_INLINE void transpose_units(panel const& p, offset unit) {
  if (unit <= 4) return copy_short_units<4>(p, unit);
  if (unit <= 8) return copy_short_units<8>(p, unit);
  if (unit <= 16) return copy_short_units<16>(p, unit);
  for (offset i = 0; i < p.rows; ++i)
    for (offset j = 0; j < p.columns; ++j)
      copy_unit(p.image + j * p.pitch + i * unit, p.source + p.row_source[i] + j * unit, unit);
}

}  // namespace cornerturn::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
