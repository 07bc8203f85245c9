#pragma once

#include <chrono>
#include <cstdint>

namespace cornerturn::cli {

/// A bar on standard error, with speed and time left, that shows itself where that is a terminal and the work takes over a
/// second. It leaves no trace.
class progress_bar {
 public:
  progress_bar();
  progress_bar(progress_bar const&) = delete;
  ~progress_bar();

  /// The share done, more than 0 and up to 1, of work on so many bytes, each of which is read and written.
  void show(double share, std::int64_t bytes);

 private:
  using clock = std::chrono::steady_clock;

  bool const terminal_;
  bool drawn_ = false;
  clock::time_point const start_;
  clock::time_point due_;
};

}  // namespace cornerturn::cli
