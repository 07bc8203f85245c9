#include "cpu/panels/plan.hpp"

#include <algorithm>
#include <atomic>
#include <thread>

#include "cpu/tiles/tiles.hpp"

namespace cornerturn::cpu {
namespace {

/// A run of a plan by several threads: which panels have been taken and, if panels are shifted, which have been read.
class panel_run {
 public:
  panel_run(cpu_panels const& plan, panel_memory const& memory) : plan_(plan), read_(memory.marks()) {
    if (plan.read_before > 0) std::fill_n(read_, plan.tasks(), false);
  }

  cpu_panels const& plan() const { return plan_; }

  /// Takes a panel that no thread has taken yet. Panels are numbered in the order in which they are taken.
  std::int64_t take() { return next_++; }
  /// Marks a panel as read.
  void mark_read(std::int64_t panel) { read_[panel].store(true, std::memory_order_release); }
  /// Waits until a panel has been read.
  void wait_until_read(std::int64_t panel) const {
    while (!read_[panel].load(std::memory_order_acquire)) std::this_thread::yield();
  }

 private:
  cpu_panels const& plan_;
  std::atomic<std::int64_t> next_ = 0;
  std::atomic<bool>* read_;  ///< by panel, if panels are shifted
};

/// Moves panels until all are taken, with the memory of thread `thread`. Each thread of the run calls it once. The plan's offsets
/// count from `data`.
void move_panels(panel_run& run, panel_memory const& memory, int thread, std::byte* data) {
  auto const& plan = run.plan();
  auto const move = [image = memory.image(thread)](cpu_plan const& each, std::byte const* from, std::byte* to) {
    move_tiles(each, {.source = from, .destination = to, .first = 0, .end = each.tasks(), .image = image});
  };
  auto* const panel = memory.panel(thread);
  // Threads take panels in order, so a thread only waits for panels that other threads have taken.
  for (std::int64_t number; (number = run.take()) < plan.tasks();) {
    auto const position = number % plan.count, index = plan.is_descending ? plan.count - 1 - position : position,
               gaps = index / plan.group;
    auto* const array = data + number / plan.count * plan.array_stride;
    move(plan.copy, array + index * plan.source_stride + gaps * plan.source_gap, panel);
    if (plan.read_before > 0) run.mark_read(number);
    for (auto before = std::min(position, plan.read_before); before > 0; --before) run.wait_until_read(number - before);
    move(plan.transpose, panel, array + index * plan.destination_stride + gaps * plan.destination_gap);
  }
}

}  // namespace

thread_memory thread_memory_of(cpu_panels const& plan, worker_threads const* workers) {
  return {.threads = threads_for(plan.bytes(), plan.tasks(), plan.copy.limits.threads, workers),
          .panel_bytes = plan.memory_bytes() + kCacheLine,
          .image_bytes = std::max(plan.transpose.image_bytes(), plan.copy.image_bytes()) + kCacheLine,
          .marks = plan.read_before > 0 ? plan.tasks() : 0};
}

void run(cpu_panels const& plan, void const*, void* destination, run_context const& context) {
  panel_run state(plan, *context.memory);
  do_parts(context.workers, threads_with_memory(thread_memory_of(plan, context.workers), context),
           [&](int thread) { move_panels(state, *context.memory, thread, static_cast<std::byte*>(destination)); });
}

}  // namespace cornerturn::cpu
