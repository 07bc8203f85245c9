#include "cpu/swizzled/units.hpp"

#include <cstring>

#include "problem/element_types.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/swizzled/units.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

// Highway compiles this file once for each target (a set of instructions).
HWY_BEFORE_NAMESPACE();
namespace cornerturn::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// Copies units, the offsets of which on one side are swizzled. The bits that select are equal within a row of `row` bytes, so
/// the swizzle flips the same bits of all offsets in the row.
template <class Store>
HWY_INLINE void copy_units(std::byte const* from, std::byte* to, std::int64_t count, offset_swizzle const& swizzle,
                           Store const& store) {
  std::int64_t const row = std::int64_t(swizzle.mask & -swizzle.mask) << swizzle.shift;
  for (std::int64_t first = 0; first < count; first += row) {
    auto const flipped = first >> swizzle.shift & swizzle.mask;
    for (std::int64_t i = 0; i < row; i += kLargestElement) store(from + first + (i ^ flipped), to + first + i);
  }
}

void copy_swizzled(std::byte const* from, std::byte* to, std::int64_t count, offset_swizzle const& swizzle,
                   [[maybe_unused]] bool streams) {
#if HWY_TARGET != HWY_SCALAR
  const hn::FixedTag<std::uint8_t, kLargestElement> unit;
  auto const stream = [&](std::byte const* each, std::byte* place) HWY_ATTR {
    hn::Stream(hn::LoadU(unit, reinterpret_cast<std::uint8_t const*>(each)), unit, reinterpret_cast<std::uint8_t*>(place));
  };
  if (streams) return copy_units(from, to, count, swizzle, stream);
#endif
  copy_units(from, to, count, swizzle,
             [](std::byte const* each, std::byte* place) { std::memcpy(place, each, kLargestElement); });
}

}  // namespace cornerturn::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cornerturn::cpu {

HWY_EXPORT(copy_swizzled);

void copy_swizzled(std::byte const* from, std::byte* to, std::int64_t count, offset_swizzle const& swizzle, bool streams) {
  HWY_DYNAMIC_DISPATCH(copy_swizzled)(from, to, count, swizzle, streams);
}

}  // namespace cornerturn::cpu
#endif
