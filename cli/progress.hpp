#pragma once

#include <chrono>
#include <cstdint>

namespace cornerturn::cli {

/// A progress bar with speed and time left, as wide as the terminal. It is shown on standard error if that is a terminal and the
/// work takes more than a second, and is erased at the end.
class progress_bar {
 public:
  progress_bar();
  progress_bar(progress_bar const&) = delete;
  ~progress_bar();

  /// Shows the fraction done, in (0, 1], of a transpose of `bytes` bytes.
  void show(double share, std::int64_t bytes);

 private:
  using clock = std::chrono::steady_clock;

  bool const terminal_;
  bool drawn_ = false;
  clock::time_point const start_;
  clock::time_point due_;
};

}  // namespace cornerturn::cli
