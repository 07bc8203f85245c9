#include "cpu/panels/panels.hpp"

#include <algorithm>
#include <thread>

#include "base/round.hpp"

namespace cornerturn::cpu {

void panel_memory::include(cpu_panels const& plan, int threads) {
  auto const image_bytes = std::max(plan.transpose.image_bytes(), plan.copy.image_bytes());
  panel_lines_ = std::max(panel_lines_, ceil_div(plan.memory_bytes(), kCacheLine) + 1);
  image_lines_ = std::max(image_lines_, ceil_div(image_bytes, kCacheLine) + 1);
  if (plan.read_before > 0) mark_count_ = std::max(mark_count_, plan.tasks());
  threads_ = std::max(threads_, threads);
}

void panel_memory::include(cpu_boxes const& plan, int threads) {
  panel_lines_ = std::max(panel_lines_, ceil_div(plan.memory_bytes(), kCacheLine));
  threads_ = std::max(threads_, threads);
}

void panel_memory::allocate() {
  if (threads_ > 0) lines_ = std::make_unique_for_overwrite<cache_line[]>(std::size_t(threads_ * (panel_lines_ + image_lines_)));
  if (mark_count_ > 0) marks_ = std::make_unique<std::atomic<bool>[]>(std::size_t(mark_count_));
}

panel_run::panel_run(cpu_panels const& plan, panel_memory const& memory) : plan_(plan), read_(memory.marks()) {
  if (plan.read_before > 0) std::fill_n(read_, plan.tasks(), false);
}

void panel_run::mark_read(std::int64_t panel) { read_[panel].store(true, std::memory_order_release); }

void panel_run::wait_until_read(std::int64_t panel) const {
  while (!read_[panel].load(std::memory_order_acquire)) std::this_thread::yield();
}

void move_panels(panel_run& run, panel_memory const& memory, int thread, std::byte* data) {
  auto const& plan = run.plan();
  auto const move = [image = memory.image(thread)](cpu_plan const& each, std::byte const* from, std::byte* to) {
    move_tiles(each, {.source = from, .destination = to, .first = 0, .end = each.tiles(), .image = image});
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

}  // namespace cornerturn::cpu
