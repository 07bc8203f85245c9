#pragma once

#include <mutex>

namespace cornerturn {

/// A mutex that is unlocked in a child process after fork: fork waits until no thread holds any such mutex. A plain mutex would
/// stay locked in the child forever if another thread held it during the fork.
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
