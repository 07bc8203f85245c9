#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "cpu/boxes/plan.hpp"
#include "cpu/panels/plan.hpp"
#include "cpu/tiles/tiles.hpp"

namespace cornerturn::cpu {

/// Memory of each thread for a panel or a box, and the marks of panels. It is allocated before the first step of a plan runs, so
/// that the array is untouched if the allocation fails. The steps of a plan share it.
class panel_memory {
 public:
  /// Makes room for another plan, which runs on `threads` threads.
  void include(cpu_panels const& plan, int threads);
  void include(cpu_boxes const& plan, int threads);
  /// Allocates the memory for these plans.
  void allocate();

  int threads() const { return threads_; }  ///< threads that have memory

  std::byte* panel(int thread) const { return lines_[std::size_t(thread * (panel_lines_ + image_lines_))].bytes; }
  std::byte* image(int thread) const { return panel(thread) + panel_lines_ * kCacheLine; }
  std::atomic<bool>* marks() const { return marks_.get(); }  ///< one for each of the shifted panels of a plan

 private:
  std::int64_t panel_lines_ = 0, image_lines_ = 0;  ///< cache lines of a thread
  std::int64_t mark_count_ = 0;
  int threads_ = 0;
  std::unique_ptr<cache_line[]> lines_;
  std::unique_ptr<std::atomic<bool>[]> marks_;
};

/// A run of a `cpu_panels` by several threads: which panels have been taken and, if panels are shifted, which have been read.
class panel_run {
 public:
  panel_run(cpu_panels const& plan, panel_memory const& memory);

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
  std::atomic<bool>* read_;  ///< by panel, if panels are shifted
};

/// Moves panels until all are taken, with the memory of thread `thread`. Each thread of the run calls it once. The plan's offsets
/// count from `data`.
void move_panels(panel_run& run, panel_memory const& memory, int thread, std::byte* data);

}  // namespace cornerturn::cpu
