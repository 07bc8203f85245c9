#pragma once

#include <exception>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>

namespace cornerturn::cpu {

/// The first exception of a function that several threads call.
class first_exception {
 public:
  /// Calls body(index) and keeps what it throws if nothing is kept yet.
  void keep_from(std::function<void(int)> const& body, int index) noexcept;

  /// Throws what was kept.
  void rethrow() const;

 private:
  std::mutex mutex_;
  std::exception_ptr first_;
};

/// Calls body(0) on the caller's thread and body(1) to body(count - 1) on one thread each. These threads end with the call,
/// because a child process would not have them after fork. If a thread cannot be started, the caller's thread does its work as
/// well. Returns when all calls have ended; of the exceptions that they throw, the first passes through.
void parallel_for(int count, std::function<void(int)> const& body);

/// Starts `body`, which must not throw, on a thread. If no thread can be started, the caller's thread calls `body`, and the
/// result is no thread.
std::jthread run_in_background(std::function<void(std::stop_token const&)> const& body);

}  // namespace cornerturn::cpu
