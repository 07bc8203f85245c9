#include "cpu/swap/plan.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <utility>

#include "cpu/panel.hpp"
#include "cpu/tiles/tiles.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/swap/swap.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

// Highway compiles this file once for each target (a set of instructions). The files below belong to the target's namespace.
HWY_BEFORE_NAMESPACE();
namespace cornerturn::cpu::HWY_NAMESPACE {

#include "cpu/panel-inl.hpp"

#include "cpu/units-inl.hpp"

#if HWY_TARGET != HWY_SCALAR
#include "cpu/transpose-inl.hpp"
#endif

#include "cpu/swap/swap-inl.hpp"

/// Iterates over the pairs of a plan's tiles.
class pair_cursor {
 public:
  pair_cursor(cpu_swap const& plan, offset number) : plan_(plan), tiles_(plan.tiles_along()) {
    column_ = number % plan.pairs(), number /= plan.pairs();
    for (; column_ >= tiles_ - row_; ++row_) column_ -= tiles_ - row_;
    column_ += row_;
    part_ = number % plan.parts(), number /= plan.parts();
    inner_ = number % plan.inner.count, outer_ = number / plan.inner.count;
  }

  void advance() {
    if (++column_ < tiles_) return;
    if (column_ = ++row_; row_ < tiles_) return;
    row_ = column_ = 0;
    if (++part_ < plan_.parts()) return;
    part_ = 0;
    if (++inner_ < plan_.inner.count) return;
    inner_ = 0;
    ++outer_;
  }

  /// The tiles' row and column among the square's tiles; the row is at most the column.
  offset row() const { return row_; }
  offset column() const { return column_; }
  /// Bytes from the plan's first square to this square's first run, or to the part of that run that the tiles have.
  offset square() const { return outer_ * plan_.outer.stride + inner_ * plan_.inner.stride + part_ * plan_.part; }
  /// Bytes of a run that the tiles have.
  offset bytes_of_run() const { return std::min(plan_.part, plan_.run - part_ * plan_.part); }

 private:
  cpu_swap const& plan_;
  offset tiles_, row_ = 0, column_ = 0, part_ = 0, inner_ = 0, outer_ = 0;
};

/// Swaps the pairs of tiles `first` to `end` - 1 of a plan, numbered as `cpu_swap::tasks` counts them. `data` is the caller's
/// pointer.
void swap_tiles(cpu_swap const& plan, std::byte* data, offset first, offset end) {
  auto* const begin = reinterpret_cast<bytes*>(data) + plan.offset;
  pair_cursor at(plan, first);
  for (auto number = first; number < end; ++number, at.advance()) {
    auto const unit = at.bytes_of_run();
    mirrored_tiles const pair(plan, begin + at.square(), at.row(), at.column());
    bool const are_elements = unit == plan.run && with_element(unit, [&](auto size) { swap_elements<size>(pair); });
    if (!are_elements) swap_any_runs(pair, unit);
  }
}

}  // namespace cornerturn::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cornerturn::cpu {

HWY_EXPORT(swap_tiles);

void run(cpu_swap const& plan, void const*, void* destination, run_context const& context) {
  auto const tasks = plan.tasks();
  int const threads = threads_for(plan.bytes, tasks, plan.threads, context.workers);
  do_parts(context.workers, threads, [&](int index) {
    HWY_DYNAMIC_DISPATCH(swap_tiles)
    (plan, static_cast<std::byte*>(destination), tasks * index / threads, tasks * (index + 1) / threads);
  });
}

}  // namespace cornerturn::cpu
#endif
