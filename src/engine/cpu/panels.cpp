#include "engine/cpu/panels.hpp"

#include <algorithm>
#include <thread>

#include "kernel/round.hpp"

namespace cornerturn::cpu {

panel_memory::panel_memory(cpu_panels const& plan, int threads)
    : panel_lines_(ceil_div(plan.panel_bytes, kCacheLine) + 1),
      lines_per_thread_(panel_lines_ + ceil_div(std::max(plan.transpose.image_bytes(), plan.copy.image_bytes()), kCacheLine) + 1),
      lines_(std::make_unique_for_overwrite<cache_line[]>(std::size_t(lines_per_thread_ * threads))),
      read_(plan.read_before > 0 ? std::size_t(plan.tasks()) : 0) {}

void panel_memory::mark_read(std::int64_t panel) { read_[std::size_t(panel)].store(true, std::memory_order_release); }

void panel_memory::wait_until_read(std::int64_t panel) const {
  while (!read_[std::size_t(panel)].load(std::memory_order_acquire)) std::this_thread::yield();
}

void move_panels(cpu_panels const& plan, panel_memory& memory, int thread, std::byte* data) {
  auto const move = [image = memory.image(thread)](cpu_plan const& each, std::byte const* from, std::byte* to) {
    move_tiles(each, {.source = from, .destination = to, .first = 0, .end = each.tiles(), .image = image});
  };
  auto* const panel = memory.panel(thread);
  // Threads take panels in order, so a thread only waits for panels that other threads are reading or have read.
  for (std::int64_t number; (number = memory.take()) < plan.tasks();) {
    auto const position = number % plan.count, index = plan.is_descending ? plan.count - 1 - position : position;
    auto* const array = data + number / plan.count * plan.array_stride;
    move(plan.copy, array + index * plan.source_stride, panel);
    if (plan.read_before > 0) memory.mark_read(number);
    for (auto before = std::min(position, plan.read_before); before > 0; --before) memory.wait_until_read(number - before);
    move(plan.transpose, panel, array + index * plan.destination_stride);
  }
}

}  // namespace cornerturn::cpu
