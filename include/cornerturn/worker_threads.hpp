#pragma once

#include "cornerturn/cxx20.hpp"

#include <functional>
#include <memory>

#include "cornerturn/export.h"

namespace cornerturn {

/// Threads that a program has already, e.g. of OpenMP or TBB, for plans that run on the CPU.
struct worker_threads {
  /// Calls part(0) to part(count - 1), each once, on any threads and in any order, and returns when all of them have returned.
  /// `part` throws nothing.
  std::function<void(int count, std::function<void(int)> const& part)> parallel_for;
  int count = 1;  ///< the maximum number of parts
};

/// Threads that wait for work, for programs that have none. Starting threads takes tens of microseconds, so other calls use
/// several for 3 MB or more only.
class CORNERTURN_API thread_pool {
 public:
  /// `threads` counts the caller's thread, too; 0 means `num_threads()`. Throws `error` for a negative number, and if the system
  /// starts no more threads.
  explicit thread_pool(int threads = 0);

  /// The pool's threads. They end with the last copy of the pool and of this object. Several callers take turns: a caller that
  /// finds the threads busy does all parts itself. So does a child after fork, which has no threads.
  worker_threads workers() const;

 private:
  int count_;
  std::shared_ptr<struct pooled_threads> threads_;
};

}  // namespace cornerturn
