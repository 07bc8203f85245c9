#pragma once

#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <vector>

namespace cornerturn {

/// A fixed number of fibers that run one function each, in turns, on the caller's thread.
class fiber_team {
 public:
  explicit fiber_team(int count);
  ~fiber_team();
  fiber_team(fiber_team const&) = delete;
  fiber_team& operator=(fiber_team const&) = delete;

  int count() const { return int(fibers_.size()); }
  /// The fiber that is running, from 0.
  int current() const { return current_; }

  /// Runs body once in each fiber, from the first or `backwards`; a fiber that yields goes on once all others have yielded or
  /// finished. Throws std::logic_error where some fibers finish while others wait at a yield: a barrier that not all threads
  /// reach; what a body throws is thrown on. The team is of no use then.
  void run(std::function<void()> const& body, bool backwards = false);
  void yield();

 private:
  struct fiber;
  static void enter(unsigned low, unsigned high);
  void prepare(fiber& each);
  void resume(int index);

  std::vector<std::unique_ptr<fiber>> fibers_;
  std::unique_ptr<fiber> caller_;
  std::function<void()> const* body_ = nullptr;
  std::exception_ptr failure_;
  int current_ = 0;
};

}  // namespace cornerturn
