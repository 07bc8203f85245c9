#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "engine/cpu/tiles.hpp"
#include "plan/cpu_panels.hpp"

namespace cornerturn::cpu {

/// What a run of a `cpu_panels` needs besides the array: memory for each thread, and a flag for each panel if panels are shifted.
/// It is allocated before the first step of a plan runs, so that an allocation that fails leaves the array untouched.
class panel_memory {
 public:
  panel_memory(cpu_panels const& plan, int threads);

  std::byte* panel(int thread) const { return lines_[std::size_t(thread * lines_per_thread_)].bytes; }
  std::byte* image(int thread) const { return panel(thread) + panel_lines_ * kCacheLine; }

  /// Takes a panel that no thread has taken yet. Panels are numbered in the order in which they are taken.
  std::int64_t take() { return next_++; }
  /// Marks a panel as read.
  void mark_read(std::int64_t panel);
  /// Waits until a panel has been read.
  void wait_until_read(std::int64_t panel) const;

 private:
  std::int64_t panel_lines_, lines_per_thread_;  ///< cache lines
  std::unique_ptr<cache_line[]> lines_;
  std::atomic<std::int64_t> next_ = 0;
  std::vector<std::atomic<bool>> read_;
};

/// Moves panels of a plan until none is left, with the memory of thread `thread`. Each of the threads that the memory was made
/// for calls it once. The plan's offsets count from `data`.
void move_panels(cpu_panels const& plan, panel_memory& memory, int thread, std::byte* data);

}  // namespace cornerturn::cpu
