#include "engine/cpu/boxes.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "engine/cpu/panel.hpp"
#include "engine/cpu/tiles.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/boxes.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

// Highway compiles this file once for each target, which is a set of instructions. The files below belong to the target's
// namespace.
HWY_BEFORE_NAMESPACE();
namespace cornerturn::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#include "engine/cpu/panel-inl.hpp"

#include "engine/cpu/stream-inl.hpp"

/// Copies a run's part to a thread's memory.
HWY_INLINE void load_part(bytes* to, bytes const* from, offset count) {
  offset at = 0;
  for (; at + kCacheLine <= count; at += kCacheLine) std::memcpy(to + at, from + at, kCacheLine);
  std::memcpy(to + at, from + at, std::size_t(count - at));
}

/// The runs of a box are far apart, and the hardware prefetcher does not find them. So the runs that are loaded next are
/// prefetched.
void move_box(cpu_boxes const& plan, std::byte* data, std::int64_t number, std::byte* memory) {
  constexpr offset kAhead = 2048;  // bytes
  auto* const held = reinterpret_cast<bytes*>(memory);
  auto* const array = reinterpret_cast<bytes*>(data) + plan.offset + number / plan.parts() * plan.array_stride;
  offset const head = offset(-address_of(array) % kCacheLine), index = number % plan.parts();
  auto const bound = [&](offset i) {
    return i == 0 ? 0 : i == plan.parts() ? plan.run : std::min(plan.run, head + i * plan.part);
  };
  offset const begin = bound(index), count = bound(index + 1) - begin, runs = plan.runs(), pitch = plan.pitch(),
               ahead = std::max<offset>(1, kAhead / plan.part);
  for (offset i = 0; i < runs; ++i) {
    auto const* const run = array + i * plan.run + begin;
    if (i + ahead < runs)
      for (offset at = 0; at < count; at += kCacheLine) prefetch(run + ahead * plan.run + at);
    load_part(held + i * pitch, run, count);
  }
  auto* to = array + begin;
  for (offset column = 0; column < plan.columns; ++column)
    for (offset middle = 0; middle < plan.between; ++middle)
      for (offset row = 0; row < plan.rows; ++row, to += plan.run)
        stream_run(to, held + ((row * plan.between + middle) * plan.columns + column) * pitch, count);
#if HWY_TARGET != HWY_SCALAR
  hwy::FlushStream();
#endif
}

}  // namespace cornerturn::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cornerturn::cpu {

HWY_EXPORT(move_box);

void move_box(cpu_boxes const& plan, std::byte* data, std::int64_t number, std::byte* memory) {
  HWY_DYNAMIC_DISPATCH(move_box)(plan, data, number, memory);
}

}  // namespace cornerturn::cpu
#endif
