// Included once for each target (set of instructions), hence no #pragma once.

#if defined(CORNERTURN_CPU_INTERLEAVE_NT) == defined(HWY_TARGET_TOGGLE)
#ifdef CORNERTURN_CPU_INTERLEAVE_NT
#undef CORNERTURN_CPU_INTERLEAVE_NT
#else
#define CORNERTURN_CPU_INTERLEAVE_NT
#endif

#include <cstring>

#include "engine/cpu/strategy/stream-inl.hpp"
#include "engine/cpu/strategy/transpose_image-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace cornerturn::cpu::HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR

inline void interleave_nt(call const& c, tile const& t) { transpose_image(c, t); }

#else

/// Takes joined elements by way of a few cache lines, which are streamed from there.
struct streamed_lines {
  bytes *destination, *lines;
  HWY_INLINE bytes* room(offset) const { return lines; }
  HWY_INLINE void done(offset at, offset count) const { stream_lines(destination + at, lines, count); }
};

/// Joins the rows' elements from column `first` on, with which a cache line of the destination begins. Returns the columns
/// joined.
template <int Size>
offset interleave_lines(part const& p, offset first, bytes* to) {
  if constexpr (Size < kBlock && kWholeLines) {
    offset const count = (p.columns - first) * Size / kLine * kLine / Size;
    alignas(kLine) bytes lines[4 * kLine];
    if (count > 0) with_few(p.rows, [&](auto few) { join<Size, few>(p, first, first + count, streamed_lines{to, lines}); });
    return count;
  }
  return 0;
}

/// Joins a few rows and streams the result. The columns before its first whole cache line and after its last are copied element
/// by element; a tile no cache line of which begins with a column has an image.
inline void interleave_nt(call const& c, tile const& t) {
  auto const p = rows_of(c, t, 0, 0, t.rows);
  offset const column = t.rows * t.unit, lines = kLine / t.unit;
  offset first = 0;
  while (first < lines && address_of(t.destination + first * column) % kLine) ++first;
  if (!kWholeLines || first == lines || first > t.columns) return transpose_image(c, t);
  auto const one_by_one = [&](offset begin, offset end) {
    for (offset j = begin; j < end; ++j)
      for (offset i = 0; i < t.rows; ++i)
        std::memcpy(t.destination + j * column + i * t.unit, p.source + p.row_source[i] + j * t.unit, std::size_t(t.unit));
  };
  offset done = 0;
  with_element(t.unit, [&](auto size) {
    done = interleave_lines<size>(p, first, t.destination);
    return true;
  });
  one_by_one(0, first);
  one_by_one(first + done, t.columns);
}

#endif  // HWY_TARGET == HWY_SCALAR

}  // namespace cornerturn::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
