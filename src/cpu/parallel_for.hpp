#pragma once

#include <exception>
#include <functional>
#include <mutex>

#include "cornerturn/worker_threads.hpp"

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

/// Calls body(0) on the caller's thread, and body(1) to body(count - 1) on the process's helpers: threads that sleep between
/// calls. A part that no helper has taken in time is done by the caller's thread, which never waits for a helper to become free.
/// So calls may nest, and many threads may call. Returns when all parts have ended; of the exceptions that they throw, the first
/// passes through.
void parallel_for(int count, std::function<void(int)> const& body);

/// Calls body(0) to body(count - 1) on threads of the caller. Returns when all calls have ended; of the exceptions that they
/// throw, the first passes through, as do those of the workers. Throws `error` if the workers have not called each part once.
void parallel_for(worker_threads const& workers, int count, std::function<void(int)> const& body);

}  // namespace cornerturn::cpu
