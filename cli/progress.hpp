#pragma once

#include <chrono>

namespace cornerturn::cli {

/// A bar on standard error that shows itself where that is a terminal and the work takes over a second. It leaves no trace.
class progress_bar {
 public:
  progress_bar();
  progress_bar(progress_bar const&) = delete;
  ~progress_bar();

  /// `share` is 0 to 1.
  void show(double share);

 private:
  using clock = std::chrono::steady_clock;

  bool const terminal_;
  bool drawn_ = false;
  clock::time_point due_;
};

}  // namespace cornerturn::cli
