// Included once for each target (set of instructions), hence no #pragma once.

#if defined(CORNERTURN_CPU_THERE) == defined(HWY_TARGET_TOGGLE)
#ifdef CORNERTURN_CPU_THERE
#undef CORNERTURN_CPU_THERE
#else
#define CORNERTURN_CPU_THERE
#endif

#include <algorithm>

#include "engine/cpu/turn-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace cornerturn::cpu::HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR

constexpr bool kWholeLines = false;

template <int Size>
bool turn_there(part const&, bool, bytes*, offset const*) {
  return false;
}

template <int Size>
offset join_there(part const&, offset, bytes*) {
  return 0;
}

#else

/// Whether a vector fills a cache line.
constexpr bool kWholeLines = hn::MaxLanes(hn::CappedTag<bytes, kLine>()) == kLine;

/// Turns rows that fill whole cache lines of every column, which lie at `columns` from `to`, and writes these past the caches.
/// False if it does not know how to.
template <int Size>
bool turn_there(part const& p, bool dense_source, bytes* to, offset const* columns) {
  const hn::CappedTag<bytes, kLine> d;
  there const put{to, columns};
  if constexpr (Size < kBlock && kWholeLines)
    if (dense_source && p.columns > 1 && p.columns <= 4) {
      with_few(p.columns, [&](auto count) { part_rows<Size, count>(p.source + p.row_source[0], p.rows, put); });
      return true;
    }
  if constexpr (kWholeLines) {
    if (p.columns * Size < kLine) return false;
    if constexpr (Size <= 2)
      turn_staged<Size>(d, p, put);
    else
      turn_wide<Size>(d, p, put);
    return true;
  }
  return false;
}

/// Joins the rows' elements from a column on with which a cache line of the destination begins; returns how many columns.
template <int Size>
offset join_there(part const& p, offset first, bytes* to) {
  if constexpr (Size < kBlock && kWholeLines) {
    offset const count = (p.columns - first) * Size / kLine * kLine / Size;
    alignas(kLine) bytes lines[4 * kLine];
    if (count > 0) with_few(p.rows, [&](auto few) { join<Size, few>(p, first, first + count, joined_there{to, lines}); });
    return count;
  }
  return 0;
}

#endif  // HWY_TARGET == HWY_SCALAR

}  // namespace cornerturn::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
