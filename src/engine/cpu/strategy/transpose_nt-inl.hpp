// Included once for each target (set of instructions), hence no #pragma once.

#if defined(CORNERTURN_CPU_TRANSPOSE_NT) == defined(HWY_TARGET_TOGGLE)
#ifdef CORNERTURN_CPU_TRANSPOSE_NT
#undef CORNERTURN_CPU_TRANSPOSE_NT
#else
#define CORNERTURN_CPU_TRANSPOSE_NT
#endif

#include <algorithm>

#include "engine/cpu/strategy/stream-inl.hpp"
#include "engine/cpu/strategy/transpose_image-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace cornerturn::cpu::HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR

inline void transpose_nt(call const& c, tile const& t) { transpose_rows_by_image(c, t, 0, t.rows); }

#else

/// Rows whose elements go to columns past the caches.
struct tall {
  part rows;
  bytes const* next;  ///< what is turned next, whose rows lie alike
  offset ahead;       ///< how far on in the rows to ask for them; 0 for the rows below
  bytes* to;
  offset const* columns;
  offset alignment;   ///< of all columns where the first one is
  bytes* kept;        ///< memory of a cache line for each column
  bool begins, ends;  ///< whether other rows are turned before or after these that continue their columns
};

/// Two cache lines' bytes of each column, of which the first are at hand, go past the caches.
struct straight {
  bytes* to;
  offset const* columns;

  template <class D, class V>
  HWY_INLINE void operator()(D d, V first, V second, offset column) const {
    hn::Stream(first, d, to + columns[column]);
    hn::Stream(second, d, to + columns[column] + kLine);
  }
};

/// The words of a vector, twice.
alignas(kLine) constexpr std::uint32_t kWords[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
                                                   0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

/// A vector's bytes from `count` on and then those before; unless `Any`, `count` is a multiple of 4.
template <bool Any, class D, class V>
HWY_INLINE V rotated(D d, V v, std::size_t count) {
  const hn::Repartition<std::uint32_t, D> words;
  auto const from = [&](std::size_t word) HWY_ATTR {
    return hn::TableLookupLanes(hn::BitCast(words, v), hn::IndicesFromVec(words, hn::LoadU(words, kWords + word)));
  };
  if constexpr (!Any) return hn::BitCast(d, from(count / 4));
  int const bits = int(count % 4 * 8);
  auto const low = hn::ShiftRightSame(from(count / 4), bits), high = hn::ShiftLeftSame(from(count / 4 + 1), 32 - bits);
  return hn::BitCast(d, hn::Or(low, high));
}

/// The same where cache lines begin somewhere within them: what remains of the second is kept, and the next two continue it.
template <bool Any>
struct shifted {
  bytes* to;
  offset const* columns;
  bytes* kept;        ///< a line for each column
  bool begins, ends;  ///< nothing is kept from before; nothing continues what would be

  template <class D, class V>
  HWY_INLINE void operator()(D d, V first, V second, offset column) const {
    auto* const at = to + columns[column];
    auto* const rest = kept + column * kLine;
    auto const head = std::size_t(-address_of(at) % kLine);
    auto* const line = at + head;
    auto const one = rotated<Any>(d, first, head), two = rotated<Any>(d, second, head);
    auto const before = hn::FirstN(d, kLine - head);
    begins ? hn::BlendedStore(one, hn::Not(before), d, line - kLine)
           : hn::Stream(hn::IfThenElse(before, hn::Load(d, rest), one), d, line - kLine);
    hn::Stream(hn::IfThenElse(before, one, two), d, line);
    ends ? hn::BlendedStore(two, before, d, line + kLine) : hn::Store(two, d, rest);
  }
};

/// Turns as many rows at once as have two cache lines' bytes of every column, and asks for what comes next meanwhile.
template <int Size, class D, class Put>
void turn_two_lines(D d, tall const& t, offset first_row, Put put) {
  constexpr offset kLanes = kLine / Size, kRows = 2 * kLanes;
  part const& p = t.rows;
  bytes const *rows[kRows], *asked[kRows];
  for (offset k = 0; k < kRows; ++k) {
    auto const row = first_row + k;
    rows[k] = p.source + p.row_source[row];
    asked[k] = t.ahead                ? rows[k] + t.ahead
               : row + kRows < p.rows ? p.source + p.row_source[row + kRows]
                                      : t.next + p.row_source[k];
  }
  put.to += first_row * Size;
  for (offset at = 0; at < p.columns; at += kLanes) {
    offset const column = std::min(at, p.columns - kLanes);
    auto const ask = [&](offset first, offset count) HWY_ATTR {
      for (offset k = first; k < first + count; ++k) prefetch(asked[k] + column * Size);
    };
    auto const write = [&](auto one, auto two, offset j) HWY_ATTR {
      if (j >= at) put(d, one, two, j);
    };
    if constexpr (Size <= 2) {  // too many vectors for the registers
      constexpr offset kGroup = kBlock / Size, kBlocks = kLine / kBlock;
      alignas(kLine) bytes stage[kRows * kLine];
      for (offset k = 0; k < kRows; k += kGroup) {
        ask(k, kGroup);
        stage_rows<Size>(d, rows + k, column * Size, stage + k * kLine);
      }
      for (offset k = 0; k < kGroup; ++k) {
        hn::Vec<D> one[kBlocks], two[kBlocks];
        for (offset b = 0; b < kBlocks; ++b) {
          one[b] = hn::Load(d, stage + (b * kGroup + k) * kLine);
          two[b] = hn::Load(d, stage + ((kBlocks + b) * kGroup + k) * kLine);
        }
        turn_blocks(d, one), turn_blocks(d, two);
        for (offset b = 0; b < kBlocks; ++b) write(one[b], two[b], column + b * kGroup + k);
      }
    } else {
      hn::Vec<D> one[kLanes];
      ask(0, kLanes);
      turn_square<Size>(d, rows, column * Size, 0, 0, [&](D, auto v, offset j, offset) HWY_ATTR { one[j] = v; });
      ask(kLanes, kLanes);
      turn_square<Size>(d, rows + kLanes, column * Size, 0, 0,
                        [&](D, auto v, offset j, offset) HWY_ATTR { write(one[j], v, column + j); });
    }
  }
}

/// Moves them all, those at the end a second time if they are too few; false if it does not know how to.
template <int Size>
bool transpose_lines(tall const& t) {
  if constexpr (kWholeLines) {
    const hn::CappedTag<bytes, kLine> d;
    constexpr offset kRows = 2 * kLine / Size;
    offset const rows = t.rows.rows;
    if (rows < kRows || t.rows.columns * Size < kLine) return false;
    auto const are_at = [&](offset step) { return t.alignment % step == 0 && address_of(t.to) % std::uintptr_t(step) == 0; };
    bool const straight_on = are_at(kLine);
    auto const shift = [&](offset row, bool begins, bool ends) {
      auto const put = [&]<bool Any>() {
        turn_two_lines<Size>(d, t, row,
                             shifted<Any>{.to = t.to, .columns = t.columns, .kept = t.kept, .begins = begins, .ends = ends});
      };
      if constexpr (Size >= 4)
        if (are_at(4)) return put.template operator()<false>();
      put.template operator()<true>();
    };
    offset row = 0;
    for (; row + kRows <= rows; row += kRows)
      straight_on ? turn_two_lines<Size>(d, t, row, straight{.to = t.to, .columns = t.columns})
                  : shift(row, row == 0 && t.begins, row + 2 * kRows > rows && t.ends);
    if (row < rows) shift(rows - kRows, true, true);
    return true;
  }
  return false;
}

/// Transposes two cache lines of every column at once, on from where the tile before has left them.
inline void transpose_nt(call const& c, tile const& t) {
  cpu_plan const& plan = c.plan;
  offset const two = 2 * kLine;
  bool const goes_on =
      plan.tile.rows * t.unit % two == 0 && (plan.tile.cut_rows.loop < 0 || plan.tile.cut_rows.last * t.unit >= two);
  bool const done = with_element(t.unit, [&](auto size) {
    return transpose_lines<size>({.rows = rows_of(c, t, 0, 0, t.rows),
                                  .next = t.next,
                                  .ahead = plan.load.prefetch_distance,
                                  .to = t.destination,
                                  .columns = c.tables.column_destination.data(),
                                  .alignment = plan.store.alignment,
                                  .kept = c.stage,
                                  .begins = t.begins || !goes_on,
                                  .ends = t.ends || !goes_on});
  });
  if (!done) transpose_rows_by_image(c, t, 0, t.rows);
}

#endif  // HWY_TARGET == HWY_SCALAR

}  // namespace cornerturn::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
