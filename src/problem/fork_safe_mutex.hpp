#pragma once

#include <mutex>

namespace cornerturn {

/// A mutex that a process finds free after fork: whoever forks waits until nobody holds any of them. Otherwise a thread that held
/// one, and is not in the child, would leave it locked there for good.
class fork_safe_mutex {
 public:
  fork_safe_mutex();
  ~fork_safe_mutex();
  fork_safe_mutex(fork_safe_mutex const&) = delete;
  fork_safe_mutex& operator=(fork_safe_mutex const&) = delete;

  void lock() { mutex_.lock(); }
  bool try_lock() { return mutex_.try_lock(); }
  void unlock() { mutex_.unlock(); }

 private:
  std::mutex mutex_;
};

}  // namespace cornerturn
