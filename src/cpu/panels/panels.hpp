#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "cpu/boxes/plan.hpp"
#include "cpu/panels/plan.hpp"
#include "cpu/tiles/tiles.hpp"

namespace cornerturn::cpu {

/// Memory of each thread for a panel or a box. It is allocated before the first step of a plan runs, so that an allocation that
/// fails leaves the array untouched. The steps of a plan share it.
class panel_memory {
 public:
  /// Makes room for another plan.
  void include(cpu_panels const& plan);
  void include(cpu_boxes const& plan);
  /// Allocates the memory of `threads` threads.
  void allocate(int threads);

  int threads() const { return threads_; }  ///< threads that have memory

  std::byte* panel(int thread) const { return lines_[std::size_t(thread * (panel_lines_ + image_lines_))].bytes; }
  std::byte* image(int thread) const { return panel(thread) + panel_lines_ * kCacheLine; }

 private:
  std::int64_t panel_lines_ = 0, image_lines_ = 0;  ///< cache lines of a thread
  int threads_ = 0;
  std::unique_ptr<cache_line[]> lines_;
};

/// A run of a `cpu_panels` by several threads: which panels have been taken and, if panels are shifted, which have been read.
class panel_run {
 public:
  explicit panel_run(cpu_panels const& plan);

  cpu_panels const& plan() const { return plan_; }

  /// Takes a panel that no thread has taken yet. Panels are numbered in the order in which they are taken.
  std::int64_t take() { return next_++; }
  /// Marks a panel as read.
  void mark_read(std::int64_t panel);
  /// Waits until a panel has been read.
  void wait_until_read(std::int64_t panel) const;

 private:
  cpu_panels const& plan_;
  std::atomic<std::int64_t> next_ = 0;
  std::vector<std::atomic<bool>> read_;
};

/// Moves panels until none is left, with the memory of thread `thread`. Each of the threads of the run calls it once. The plan's
/// offsets count from `data`.
void move_panels(panel_run& run, panel_memory const& memory, int thread, std::byte* data);

}  // namespace cornerturn::cpu
