// Included once for each target (set of instructions), hence no #pragma once.

#if defined(CORNERTURN_CPU_COPY_BLOCKS) == defined(HWY_TARGET_TOGGLE)
#ifdef CORNERTURN_CPU_COPY_BLOCKS
#undef CORNERTURN_CPU_COPY_BLOCKS
#else
#define CORNERTURN_CPU_COPY_BLOCKS
#endif

#include <algorithm>
#include <utility>

#include "engine/cpu/strategy/tile-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace cornerturn::cpu::HWY_NAMESPACE {

/// Calls body(unit) with the constant that `unit` is: a multiple of a block that is shorter than two cache lines.
template <class Body>
HWY_INLINE void with_blocks(offset unit, Body const& body) {
  [&]<int... Blocks>(std::integer_sequence<int, Blocks...>) {
    ((unit == (Blocks + 1) * kBlock ? body(std::integral_constant<int, (Blocks + 1) * int(kBlock)>()) : void()), ...);
  }
  (std::make_integer_sequence<int, 2 * kLine / kBlock - 1>());
}

/// Copies short units of whole blocks, which gain nothing from an image. As many columns are copied at once as fill a cache line
/// of the source.
inline void copy_blocks(call const& c, tile const& t) {
  with_blocks(t.unit, [&](auto unit) {
    constexpr offset kGroup = std::max<offset>(1, kLine / unit);
    for (offset b = 0; b < t.batch; ++b) {
      auto const p = rows_of(c, t, b, 0, t.rows);
      auto const copy = [unit, p, columns = c.tables.column_destination.data(),
                         to = t.destination + b * t.rows * t.columns * unit](offset first, offset last) {
        for (offset i = 0; i < p.rows; ++i)
          for (offset j = first; j < last; ++j)
            copy_unit(to + columns[j] + i * unit, p.source + p.row_source[i] + j * unit, unit);
      };
      offset first = 0;
      for (; first + kGroup <= t.columns; first += kGroup) copy(first, first + kGroup);
      for (; first < t.columns; ++first) copy(first, first + 1);
    }
  });
}

}  // namespace cornerturn::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
