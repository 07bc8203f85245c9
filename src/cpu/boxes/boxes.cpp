#include "cpu/boxes/plan.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <type_traits>

#include "cpu/panel.hpp"
#include "cpu/tiles/tiles.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/boxes/boxes.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

// Highway compiles this file once for each target (a set of instructions). The files below belong to the target's namespace.
HWY_BEFORE_NAMESPACE();
namespace cornerturn::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#include "cpu/panel-inl.hpp"

#include "cpu/stream-inl.hpp"

/// Copies a run's part to a thread's memory.
HWY_INLINE void load_part(bytes* to, bytes const* from, offset count) {
  offset at = 0;
  for (; at + kCacheLine <= count; at += kCacheLine) std::memcpy(to + at, from + at, kCacheLine);
  std::memcpy(to + at, from + at, std::size_t(count - at));
}

/// The places of a box's parts, in the order of the runs.
class run_places {
 public:
  run_places(cpu_boxes const& plan, bytes* first) : plan_(plan), at_(first) {}
  bytes* at() const { return at_; }
  void advance() {
    at_ += plan_.run;
    if (++in_group_ == plan_.group) in_group_ = 0, at_ += plan_.gap;
  }

 private:
  cpu_boxes const& plan_;
  bytes* at_;
  offset in_group_ = 0;  ///< runs before this one in its group
};

/// Permutes the runs of the boxes `first` to `end` - 1 of a plan through `memory`, which has `memory_bytes()` bytes and begins
/// with a cache line. `end` is at most `tasks()`.
///
/// The runs of a box are far apart, and the hardware prefetcher does not find them. So this function prefetches the next runs. If
/// runs are not whole cache lines, a box is written up to the last whole cache line of each run. The remaining bytes are kept and
/// written with the next box, so that only the first and the last of these boxes write parts of lines.
void move_boxes(cpu_boxes const& plan, std::byte* data, std::int64_t first, std::int64_t end, std::byte* memory) {
  constexpr offset kAhead = 8192;  // bytes
  offset const kept = plan.kept(), runs = plan.runs(), pitch = plan.pitch(), ahead = std::max<offset>(1, kAhead / plan.part);
  auto* const held = reinterpret_cast<bytes*>(memory) + kept;
  offset last_count = 0;
  for (offset number = first; number < end; ++number) {
    auto* const array = reinterpret_cast<bytes*>(data) + number / plan.parts() * plan.array_stride;
    bool const begins_at_lines = kept == 0 && plan.parts() > 1;
    offset const before = begins_at_lines ? offset(address_of(array) % kCacheLine) : 0, index = number % plan.parts();
    auto const bound = [&](offset i) { return std::clamp<offset>(i * plan.part - before, 0, plan.run); };
    offset const begin = bound(index), count = bound(index + 1) - begin;
    if (count == 0) continue;
    assert(count <= plan.part && count + kept <= pitch && last_count <= plan.part);
    bool const is_first = number == first || index == 0, is_last = number + 1 == end || begin + count == plan.run;
    run_places from(plan, array + begin), next(plan, array + begin), to(plan, array + begin);
    for (offset i = 0; i < std::min(runs, ahead); ++i) next.advance();
    for (offset i = 0; i < runs; ++i) {
      if (i + ahead < runs)
        for (offset at = 0; at < count + kept; at += kCacheLine) prefetch(next.at() + at);
      auto* const part = held + i * pitch;
      if (kept > 0 && !is_first) std::memmove(part - kCacheLine, part + last_count - kCacheLine, kCacheLine);
      load_part(part, from.at(), count);
      from.advance(), next.advance();
    }
    for (offset column = 0; column < plan.columns; ++column)
      for (offset middle = 0; middle < plan.between; ++middle)
        for (offset row = 0; row < plan.rows; ++row, to.advance()) {
          auto const* const part = held + ((row * plan.between + middle) * plan.columns + column) * pitch;
          offset const low = is_first ? 0 : -offset(address_of(to.at()) % kCacheLine),
                       high = is_last ? count : count - offset(address_of(to.at() + count) % kCacheLine);
          stream_run(to.at() + low, part + low, high - low);
        }
    last_count = count;
  }
#if HWY_TARGET != HWY_SCALAR
  hwy::FlushStream();
#endif
}

}  // namespace cornerturn::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cornerturn::cpu {

HWY_EXPORT(move_boxes);

thread_memory thread_memory_of(cpu_boxes const& plan, worker_threads const* workers) {
  return {.threads = threads_for(plan.bytes(), plan.tasks(), plan.threads, workers), .panel_bytes = plan.memory_bytes()};
}

void run(cpu_boxes const& plan, void const*, void* destination, run_context const& context) {
  auto const tasks = plan.tasks();
  int const threads = threads_with_memory(thread_memory_of(plan, context.workers), context);
  do_parts(context.workers, threads, [&](int index) {
    HWY_DYNAMIC_DISPATCH(move_boxes)
    (plan, static_cast<std::byte*>(destination), tasks * index / threads, tasks * (index + 1) / threads,
     context.memory->panel(index));
  });
}

}  // namespace cornerturn::cpu
#endif
