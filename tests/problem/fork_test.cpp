#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <functional>
#include <latch>
#include <mutex>
#include <thread>

#include "cornerturn/cache.hpp"
#include "gtest/gtest.h"
#include "problem/fork_safe_mutex.hpp"
#include "problem/fork_safe_static.hpp"
#include "support/sanitized.hpp"

namespace cornerturn {
namespace {

/// Whether a child after fork ends `work`, and ends it with true.
bool child_does(std::function<bool()> const& work) {
  pid_t const child = fork();
  if (child == 0) {
    alarm(10);  // rather than to wait for a thread that is not there
    _exit(work() ? 0 : 1);
  }
  int status = -1;
  return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

class fork_safety : public testing::Test {
 protected:
  void SetUp() override {
    if (test::kSanitizesThreads) GTEST_SKIP() << "the sanitizer knows no threads of a child of a process with threads";
  }
};

TEST_F(fork_safety, a_static_that_another_thread_is_making_is_made_in_the_child) {
  static constinit fork_safe_static<int> answer;
  std::latch started(1), forked(1);
  std::thread maker([&] {
    answer.get([&] {
      started.count_down();
      forked.wait();
      return 1;
    });
  });
  started.wait();
  EXPECT_TRUE(child_does([] { return answer.get([] { return 2; }) == 2; }));
  forked.count_down();
  maker.join();
  EXPECT_EQ(answer.get([] { return 3; }), 1);
}

/// The first call of all makes the cache and its mutex, for which it waits while another thread forks. This needs a process in
/// which nobody has called yet.
[[noreturn]] void fork_during_the_first_call() {
  fork_safe_mutex busy;
  busy.lock();
  bool done = false;
  std::thread forks([&] { done = child_does([] { return cache_info().entries == 0; }); });
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  std::thread calls([] { cache_info(); });
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  busy.unlock();
  forks.join();
  calls.join();
  _exit(done ? 0 : 1);
}

TEST_F(fork_safety, a_child_of_the_first_call_may_call) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(fork_during_the_first_call(), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace cornerturn
