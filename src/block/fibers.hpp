#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <vector>

namespace cornerturn {

/// A fixed number of fibers that run on the caller's thread. Each runs one function until it yields.
class fiber_group {
 public:
  explicit fiber_group(int count);
  ~fiber_group();
  fiber_group(fiber_group const&) = delete;
  fiber_group& operator=(fiber_group const&) = delete;

  int count() const { return int(fibers_.size()); }
  /// Index of the running fiber.
  int current() const { return current_; }

  /// Runs body once in each fiber, in order or `backwards`. A fiber that yields continues after all others have yielded or
  /// finished. Throws std::logic_error if some fibers finish while others wait at a yield: that is a barrier that not all threads
  /// reach. Rethrows exceptions of a body. After an exception the group cannot be used again.
  void run(std::function<void()> const& body, bool backwards = false);
  void yield();

 private:
  struct fiber;
  static void enter(unsigned low, unsigned high);
  void create(fiber& each);
  void resume(int index);

  std::vector<std::unique_ptr<fiber>> fibers_;
  std::unique_ptr<fiber> caller_;
  std::function<void()> const* body_ = nullptr;
  std::exception_ptr failure_;
  int current_ = 0;
};

}  // namespace cornerturn
