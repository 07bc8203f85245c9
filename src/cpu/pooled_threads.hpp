#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

#include "cpu/sizes.hpp"

namespace cornerturn {

/// Threads that wait for the parts of a call. A thread that waits spins for some tens of microseconds before it sleeps.
struct pooled_threads {
  /// `count` includes the thread that calls `run`. Throws std::system_error if the system starts no more threads.
  explicit pooled_threads(int count);
  ~pooled_threads();
  pooled_threads(pooled_threads const&) = delete;

  /// Calls part(0) to part(count - 1), which throw nothing. The caller's thread calls part(0), and all others if the threads are
  /// busy with another call or do not exist in this process.
  void run(int count, std::function<void(int)> const& part);

 private:
  /// A thread, and how many calls have given it a part. It has a cache line of its own, because the thread spins there.
  struct alignas(kCacheLine) worker {
    std::atomic<std::uint32_t> calls = 0;
    std::thread thread = {};
  };

  void work(worker& self, int index);
  void wake(worker& each);
  void end();
  bool has_threads() const;

  std::deque<worker> workers_;
  std::mutex turn_;                                 ///< held by the call that has the threads
  std::function<void(int)> const* part_ = nullptr;  ///< the work of that call; null ends the threads
  std::atomic<int> pending_ = 0;                    ///< parts of that call that have not returned
  pid_t process_;                                   ///< the process that has the threads
};

}  // namespace cornerturn
