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

/// A tile within the caches. It has a cache line of each row of the source and four of each row of the destination: runs of lines
/// are written faster, and longer ones leave the level 2 cache.
///
/// Rows of the source form groups of as many rows as a byte has elements. Plane k consists of the bytes that groups contribute to
/// the rows of the destination whose index in their byte of the source is k: a line for each group.
struct tile_memory {
  static constexpr std::int64_t kWritten = 4 * kCacheLine, kMostPlanes = 8;   ///< kWritten: bytes of a row of the destination
  static constexpr std::int64_t kPlane = kCacheLine * kWritten + kCacheLine;  ///< planes begin in different sets of a cache
  alignas(kCacheLine) bytes planes[kMostPlanes * kPlane] = {};
  bytes transposed[kCacheLine * kWritten];  ///< a plane
};

/// A tile's place in both sides.
struct packed_tile {
  std::byte const* from;
  std::byte const* next;  ///< the source of the tile that is transposed next
  std::byte* to;
  std::int64_t source_bytes, destination_bytes;  ///< of each row
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

/// Copies the first bytes of a line. The stores of a whole line are as wide as later loads, which then need not wait for them.
HWY_INLINE void copy_line(bytes const* from, bytes* to, offset count) {
  if (count < kCacheLine) return void(std::memcpy(to, from, std::size_t(count)));
  const hn::CappedTag<bytes, kCacheLine> d;
  for (offset at = 0; at < kCacheLine; at += offset(hn::Lanes(d))) hn::Store(hn::LoadU(d, from + at), d, to + at);
}

/// Exchanges the elements within the bytes of `Count` rows, which are `stride` bytes apart, and stores the rows in their planes.
/// The rows are copied first: lines that are a power of two apart evict each other from the level 1 cache between two vectors.
template <int Bits, offset Count>
HWY_INLINE void store_planes(bytes const* from, offset stride, offset count, offset reversed, bytes* to) {
  const hn::CappedTag<word, kCacheLine / 8> d;
  alignas(kCacheLine) bytes lines[Count][kCacheLine];
  for (offset i = 0; i < Count; ++i) copy_line(from + i * stride, lines[i], count);
  for (offset at = 0; at < count; at += 8 * offset(hn::Lanes(d))) {
    hn::Vec<decltype(d)> rows[Count];
    for (offset i = 0; i < Count; ++i) rows[i] = hn::Load(d, reinterpret_cast<word const*>(lines[i ^ reversed] + at));
    exchange_blocks<Bits, int(Count / 2)>(d, rows);
    for (offset i = 0; i < Count; ++i)
      hn::Store(rows[i], d, reinterpret_cast<word*>(to + (i ^ reversed) * tile_memory::kPlane + at));
  }
}

/// Transposes the first bytes of the first lines of a plane.
HWY_INLINE void transpose_plane(bytes const* plane, offset rows, offset columns, bytes* to) {
#if HWY_TARGET == HWY_SCALAR
  for (offset column = 0; column < columns; ++column)
    for (offset row = 0; row < rows; ++row) to[column * tile_memory::kWritten + row] = plane[row * kCacheLine + column];
#else
  constexpr hn::CappedTag<bytes, kCacheLine> d;
  constexpr offset kLanes = offset(hn::MaxLanes(d));
  for (offset column = 0; column < columns; column += kLanes)
    for (offset row = 0; row < rows; row += kLanes)
      transpose_square<1>(
          d, [&](int lane) HWY_ATTR { return hn::Load(d, plane + (row + lane) * kCacheLine + column); }, column, row,
          into_image{to, tile_memory::kWritten});
#endif
}

/// Writes a run of a row. If it `streams`, whole lines go past the caches, and the run begins at a line or has none.
HWY_INLINE void write_run(bytes const* from, bytes* to, offset count, [[maybe_unused]] bool streams) {
  offset whole = 0;
#if HWY_TARGET != HWY_SCALAR
  if (streams) whole = stream_lines(to, from, count);
#endif
  if (whole < count) std::memcpy(to + whole, from + whole, std::size_t(count - whole));
}

/// Transposes a tile. Meanwhile prefetches the source some rows ahead: there are more rows than the hardware's prefetcher
/// follows, and rows that are a power of two apart share so few sets of the level 2 cache that these do not hold all rows of a
/// tile.
template <int Bits>
HWY_INLINE void transpose_tile(packed_tile const& tile, packed_matrices const& all, bool streams, tile_memory& memory) {
  constexpr offset kPerByte = 8 / Bits, kGroupsAhead = 64 / kPerByte;
  auto const groups = tile.destination_bytes, group_stride = kPerByte * all.source_stride;
  auto const* const source = reinterpret_cast<bytes const*>(tile.from);
  auto const* const next = reinterpret_cast<bytes const*>(tile.next);
  offset const reversed = all.packed.first_is_highest ? kPerByte - 1 : 0;
  for (offset group = 0; group < groups; ++group) {
    auto const later = group + kGroupsAhead;
    auto const* const ahead = later < groups ? source + later * group_stride : next + (later - groups) * group_stride;
    for (offset i = 0; i < kPerByte; ++i) prefetch(ahead + i * all.source_stride + kCacheLine - 1);
    store_planes<Bits, kPerByte>(source + group * group_stride, all.source_stride, tile.source_bytes, reversed,
                                 memory.planes + group * kCacheLine);
  }
  for (offset k = 0; k < kPerByte; ++k) {
    transpose_plane(memory.planes + k * tile_memory::kPlane, groups, tile.source_bytes, memory.transposed);
    for (offset column = 0; column < tile.source_bytes; ++column) {
      auto* const to = reinterpret_cast<bytes*>(tile.to + (column * kPerByte + k) * all.destination_stride);
      auto const* const run = memory.transposed + column * tile_memory::kWritten;
      if (groups == tile_memory::kWritten)
        write_run(run, to, tile_memory::kWritten, streams);
      else
        write_run(run, to, groups, streams);
    }
  }
}

/// Calls `transpose_tile` for the bits of an element.
void transpose_packed_tile(packed_tile const& tile, packed_matrices const& all, bool streams, tile_memory& memory) {
  with_constant<4, 2, 1>(all.packed.bits, [&](auto bits) HWY_ATTR { transpose_tile<bits>(tile, all, streams, memory); });
}

}  // namespace cornerturn::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cornerturn::cpu {
namespace {

HWY_EXPORT(transpose_packed_tile);

/// The tiles along rows of one side, `row` bytes long, of `size` bytes each; the first one may be shorter.
struct row_tiles {
  std::int64_t row, size, head;

  /// Tiles begin at cache lines if all rows begin at the same byte of their lines.
  row_tiles(std::int64_t row_bytes, std::int64_t tile_bytes, std::byte const* first, std::int64_t stride)
      : row(row_bytes),
        size(tile_bytes),
        head(stride % kCacheLine ? 0 : std::min(std::int64_t(-reinterpret_cast<std::uintptr_t>(first) % kCacheLine), row)) {}

  std::int64_t count() const { return (head > 0 ? 1 : 0) + ceil_div(row - head, size); }
  std::int64_t begin(std::int64_t tile) const { return tile == 0 ? 0 : head > 0 ? head + (tile - 1) * size : tile * size; }
  std::int64_t bytes(std::int64_t tile) const { return (tile + 1 < count() ? begin(tile + 1) : row) - begin(tile); }
};

/// The tiles of all matrices.
class packed_tiles {
 public:
  packed_tiles(std::byte const* source, std::byte* destination, packed_matrices const& all)
      : source_(source),
        destination_(destination),
        all_(all),
        columns_(all.source_row, kCacheLine, source, all.source_stride),
        runs_(all.destination_row, tile_memory::kWritten, destination, all.destination_stride) {}

  std::int64_t of_matrix() const { return columns_.count() * runs_.count(); }

  /// Tile `index`, whose `next` is not set.
  packed_tile operator[](std::int64_t index) const {
    auto matrix = index / of_matrix();
    std::int64_t read = 0, written = 0;
    for (auto m = all_.outer.rbegin(); m != all_.outer.rend(); ++m) {
      read += matrix % m->extent * m->source_stride;
      written += matrix % m->extent * m->destination_stride;
      matrix /= m->extent;
    }
    auto const run = index % of_matrix() / columns_.count(), column = index % columns_.count();
    read += runs_.begin(run) * all_.packed.per_byte() * all_.source_stride + columns_.begin(column);
    written += columns_.begin(column) * all_.packed.per_byte() * all_.destination_stride + runs_.begin(run);
    return {.from = source_ + read,
            .next = nullptr,
            .to = destination_ + written,
            .source_bytes = columns_.bytes(column),
            .destination_bytes = runs_.bytes(run)};
  }

 private:
  std::byte const* source_;
  std::byte* destination_;
  packed_matrices const& all_;
  row_tiles columns_, runs_;
};

}  // namespace

void transpose_packed(std::byte const* source, std::byte* destination, packed_matrices const& all, int threads) {
  std::int64_t matrices = 1;
  for (auto const& m : all.outer) matrices *= m.extent;
  auto const bytes = all.bytes();
  auto const keeps_lines = [](auto const& m) { return m.extent == 1 || m.destination_stride % kCacheLine == 0; };
  bool const streams = all.destination_stride % kCacheLine == 0 && std::ranges::all_of(all.outer, keeps_lines) &&
                       bytes > usual_tile_hint().streamed_above;
  packed_tiles const tiles(source, destination, all);
  auto const count = matrices * tiles.of_matrix();
  in_parts(count, std::max<std::int64_t>(bytes / count, 1), threads, [&](std::int64_t from, std::int64_t to) {
    auto const memory = std::make_unique<tile_memory>();
    auto tile = tiles[from];
    for (auto i = from; i < to; ++i) {
      auto const after = i + 1 < to ? tiles[i + 1] : tile;
      tile.next = after.from;
      HWY_DYNAMIC_DISPATCH(transpose_packed_tile)(tile, all, streams, *memory);
      tile = after;
    }
    if (streams) end_streams();
  });
}

}  // namespace cornerturn::cpu
#endif
