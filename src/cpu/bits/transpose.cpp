#include "cpu/bits/transpose.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <type_traits>

#include "base/round.hpp"
#include "cpu/bits/parts.hpp"
#include "cpu/machine.hpp"
#include "cpu/panel.hpp"
#include "cpu/sizes.hpp"
#include "cpu/stream_row.hpp"
#include "cpu/tiles/plan.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/bits/transpose.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#ifndef CORNERTURN_CPU_BITS_TRANSPOSE
#define CORNERTURN_CPU_BITS_TRANSPOSE
namespace cornerturn::cpu {

using word = std::uint64_t;

/// A tile has as many rows of the source as fill a cache line of each row of the destination, and a cache line of each row. It
/// consists of squares of `64 / bits` rows of a word.
inline constexpr std::size_t kTileWords = std::size_t(kCacheLine / 8);  ///< of a row of a tile

/// A tile within the caches, as squares.
struct tile_memory {
  static constexpr std::size_t kMostRows = std::size_t(kCacheLine * 8);
  /// Word k of row r of the tile of the source is at [kTileWords * r + k]. Then the words of row r of the squares of column k of
  /// squares: that of square i is at [kTileWords * (kTileWords * r + i) + k].
  alignas(kCacheLine) word source[kTileWords * kMostRows] = {}, squares[kTileWords * kMostRows];
};

}  // namespace cornerturn::cpu
#endif

// Highway compiles this file once for each target (a set of instructions). The files below belong to the target's namespace.
HWY_BEFORE_NAMESPACE();
namespace cornerturn::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#include "cpu/panel-inl.hpp"

#include "cpu/stream-inl.hpp"
#if HWY_TARGET != HWY_SCALAR
#include "cpu/transpose-inl.hpp"
#endif

/// The bits of a word whose index has 0 for a power of two.
constexpr word mask_of(int power) {
  word mask = 0;
  for (int bit = 0; bit < 64; ++bit) mask |= word(!(bit & power)) << bit;
  return mask;
}

/// Exchanges the blocks beside the diagonal of blocks twice as large. Rows are `Unit` bits of a word apart; a block has
/// `Distance` of them, then half as many, and so on down to one.
template <int Unit, int Distance, class D, class V, std::size_t Count>
HWY_INLINE void exchange_blocks(D d, V (&rows)[Count]) {
  constexpr int kShift = Unit * Distance;
  constexpr word kMask = mask_of(kShift);
  auto const mask = hn::Set(d, kMask);
  for (std::size_t row = 0; row < Count; ++row) {
    if (row & Distance) continue;
    auto &low = rows[row], &high = rows[row + Distance];
    auto const change = hn::And(hn::Xor(hn::ShiftRight<kShift>(low), high), mask);
    high = hn::Xor(high, change);
    low = hn::Xor(low, hn::ShiftLeft<kShift>(change));
  }
  if constexpr (Distance > 1) exchange_blocks<Unit, Distance / 2>(d, rows);
}

/// Transposes squares side by side, a square in each lane, in two passes: `Inner` rows stay together in the first.
template <int Bits, class D>
HWY_INLINE void transpose_squares(D d, word const* from, word* to, std::size_t reversed) {
  constexpr std::size_t kRows = 64 / Bits, kInner = kRows == 16 ? 4 : 8, kOuter = kRows / kInner;
  hn::Vec<D> rows[kOuter];
  alignas(kCacheLine) word half[kRows * hn::MaxLanes(d)];
  auto const lanes = hn::Lanes(d);
  for (std::size_t inner = 0; inner < kInner; ++inner) {
    for (std::size_t i = 0; i < kOuter; ++i) rows[i] = hn::Load(d, from + kTileWords * ((i * kInner + inner) ^ reversed));
    exchange_blocks<Bits* int(kInner), int(kOuter / 2)>(d, rows);
    for (std::size_t i = 0; i < kOuter; ++i) hn::Store(rows[i], d, half + lanes * (i * kInner + inner));
  }
  for (std::size_t outer = 0; outer < kOuter; ++outer) {
    hn::Vec<D> near[kInner];
    for (std::size_t i = 0; i < kInner; ++i) near[i] = hn::Load(d, half + lanes * (outer * kInner + i));
    exchange_blocks<Bits, int(kInner / 2)>(d, near);
    for (std::size_t i = 0; i < kInner; ++i)
      hn::Store(near[i], d, to + kTileWords * kTileWords * ((outer * kInner + i) ^ reversed));
  }
}

/// Row `row` of all squares of a tile, as a line of the destination for each column of squares.
HWY_INLINE void gather_lines(tile_memory const& memory, std::size_t row, word (&lines)[kTileWords * kTileWords]) {
  auto const* const squares = memory.squares + kTileWords * kTileWords * row;
#if HWY_TARGET == HWY_SCALAR
  for (std::size_t k = 0; k < kTileWords; ++k)
    for (std::size_t square = 0; square < kTileWords; ++square) lines[kTileWords * k + square] = squares[kTileWords * square + k];
#else
  constexpr hn::CappedTag<bytes, kCacheLine> d;
  constexpr offset kLanes = offset(hn::MaxLanes(d)) / 8, kWords = offset(kTileWords);
  into_image const to{reinterpret_cast<bytes*>(lines), kCacheLine};
  for (offset square = 0; square < kWords; square += kLanes)
    for (offset k = 0; k < kWords; k += kLanes)
      transpose_square<8>(
          d,
          [&](int lane) HWY_ATTR { return hn::Load(d, reinterpret_cast<bytes const*>(squares + kWords * (square + lane) + k)); },
          k, 8 * square, to);
#endif
}

/// Transposes a tile of `source_bytes` bytes of each row of the source and of `destination_bytes` of each row of the destination,
/// at most a cache line of both. Prefetches the tile's right neighbour, because there are more rows than the hardware's
/// prefetcher follows.
template <int Bits>
HWY_INLINE void transpose_tile(std::byte const* from, std::byte* to, packed_matrices const& all, offset source_bytes,
                               offset destination_bytes, bool streams, tile_memory& memory) {
  constexpr std::size_t kRows = 64 / Bits, kPerByte = 8 / Bits;
  const hn::CappedTag<word, kTileWords> d;
  auto const rows = std::size_t(destination_bytes) * kPerByte;
  for (std::size_t row = 0; row < rows; ++row) {
    auto const* const first = from + offset(row) * all.source_stride;
    std::memcpy(memory.source + kTileWords * row, first, std::size_t(source_bytes));
    prefetch(reinterpret_cast<bytes const*>(first) + 2 * kCacheLine - 1);
  }
  auto const reversed = all.packed.first_is_highest ? kPerByte - 1 : 0, words = (std::size_t(source_bytes) + 7) / 8,
             squares = (rows + kRows - 1) / kRows;
  for (std::size_t square = 0; square < squares; ++square)
    for (std::size_t k = 0; k < words; k += hn::Lanes(d))
      transpose_squares<Bits>(d, memory.source + kTileWords * kRows * square + k, memory.squares + kTileWords * square + k,
                              reversed);
  for (std::size_t row = 0; row < kRows; ++row) {
    alignas(kCacheLine) word lines[kTileWords * kTileWords];
    gather_lines(memory, row, lines);
    for (std::size_t column = row, k = 0; column < std::size_t(source_bytes) * kPerByte; column += kRows, ++k) {
      auto* const at = reinterpret_cast<bytes*>(to + offset(column) * all.destination_stride);
      auto const* const line = reinterpret_cast<bytes const*>(lines + kTileWords * k);
      if (streams)
        stream_run(at, line, destination_bytes);
      else
        std::memcpy(at, line, std::size_t(destination_bytes));
    }
  }
}

/// Calls `transpose_tile` for the bits of an element.
void transpose_packed_tile(std::byte const* from, std::byte* to, packed_matrices const& all, offset source_bytes,
                           offset destination_bytes, bool streams, tile_memory& memory) {
  with_constant<4, 2, 1>(all.packed.bits, [&](auto bits) HWY_ATTR {
    transpose_tile<bits>(from, to, all, source_bytes, destination_bytes, streams, memory);
  });
}

}  // namespace cornerturn::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cornerturn::cpu {
namespace {

HWY_EXPORT(transpose_packed_tile);

/// The tiles along rows of one side, `row` bytes long, of a cache line each; the first one may be shorter.
struct line_tiles {
  std::int64_t row, head;

  std::int64_t count() const { return ceil_div(row + (kCacheLine - head) % kCacheLine, kCacheLine); }
  std::int64_t begin(std::int64_t tile) const { return tile == 0 ? 0 : head + (tile - (head > 0 ? 1 : 0)) * kCacheLine; }
  std::int64_t bytes(std::int64_t tile) const { return std::min(begin(tile + 1), row) - begin(tile); }
};

}  // namespace

void transpose_packed(std::byte const* source, std::byte* destination, packed_matrices const& all, int threads) {
  std::int64_t matrices = 1;
  for (auto const& m : all.outer) matrices *= m.extent;
  auto const bytes = all.bytes();
  bool const has_lines = all.destination_stride % kCacheLine == 0;
  auto const streamed_above = usual_tile_hint().streamed_above;
  bool const streams = has_lines && bytes > streamed_above;
  auto const head = streams ? std::int64_t(-reinterpret_cast<std::uintptr_t>(destination) % kCacheLine) : 0;
  line_tiles const columns{all.source_row, 0}, lines{all.destination_row, std::min(head, all.destination_row)};
  auto const tiles = columns.count() * lines.count(), per_byte = all.packed.per_byte();
  in_parts(matrices * tiles, std::max<std::int64_t>(bytes / (matrices * tiles), 1), threads,
           [&](std::int64_t from, std::int64_t to) {
             auto const memory = std::make_unique<tile_memory>();
             for (auto i = from; i < to; ++i) {
               auto index = i / tiles;
               std::int64_t read = 0, written = 0;
               for (auto m = all.outer.rbegin(); m != all.outer.rend(); ++m) {
                 read += index % m->extent * m->source_stride;
                 written += index % m->extent * m->destination_stride;
                 index /= m->extent;
               }
               auto const column = i % tiles % columns.count(), line = i % tiles / columns.count();
               read += lines.begin(line) * per_byte * all.source_stride + columns.begin(column);
               written += columns.begin(column) * per_byte * all.destination_stride + lines.begin(line);
               HWY_DYNAMIC_DISPATCH(transpose_packed_tile)
               (source + read, destination + written, all, columns.bytes(column), lines.bytes(line), streams, *memory);
             }
             if (streams) end_streams();
           });
}

}  // namespace cornerturn::cpu
#endif
