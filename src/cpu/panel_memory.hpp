#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "cpu/sizes.hpp"

namespace cornerturn::cpu {

/// The memory that a plan in place needs: for each of its threads, and marks that its threads share.
struct thread_memory {
  int threads = 0;
  std::int64_t panel_bytes = 0, image_bytes = 0;  ///< bytes of a thread; an image's may be 0
  std::int64_t marks = 0;
};

/// Memory of each thread for a panel or a box, and the marks of panels. It is allocated before the first step of a plan runs, so
/// that the array is untouched if the allocation fails. The steps of a plan share it.
class panel_memory {
 public:
  /// Makes room for another plan.
  void include(thread_memory const& needed);
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

}  // namespace cornerturn::cpu
