#include "cpu/panel_memory.hpp"

#include <algorithm>

#include "base/round.hpp"

namespace cornerturn::cpu {

void panel_memory::include(thread_memory const& needed) {
  panel_lines_ = std::max(panel_lines_, ceil_div(needed.panel_bytes, kCacheLine));
  image_lines_ = std::max(image_lines_, ceil_div(needed.image_bytes, kCacheLine));
  mark_count_ = std::max(mark_count_, needed.marks);
  threads_ = std::max(threads_, needed.threads);
}

void panel_memory::allocate() {
  if (threads_ > 0) lines_ = std::make_unique_for_overwrite<cache_line[]>(std::size_t(threads_ * (panel_lines_ + image_lines_)));
  if (mark_count_ > 0) marks_ = std::make_unique<std::atomic<bool>[]>(std::size_t(mark_count_));
}

}  // namespace cornerturn::cpu
