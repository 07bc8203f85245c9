#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <functional>
#include <iterator>
#include <latch>
#include <mutex>
#include <string>
#include <thread>

#include "base/fork_safe_mutex.hpp"
#include "base/fork_safe_static.hpp"
#include "cornerturn/cache.hpp"
#include "gtest/gtest.h"
#include "support/sanitized.hpp"

namespace cornerturn {
namespace {

/// Whether a child after fork ends `work`, and ends it with true.
bool child_does(std::function<bool()> const& work) {
  pid_t const child = fork();
  if (child == 0) {
    alarm(600);  // rather than to wait for a thread that is not there
    _exit(work() ? 0 : 1);
  }
  int status = -1;
  return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

class fork_safety : public testing::Test {
 protected:
  void SetUp() override {
    if (test::sanitizes_threads()) GTEST_SKIP() << "the sanitizer knows no threads of a child of a process with threads";
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

/// Waits until a thread sleeps, as it does while it waits for a mutex, or has ended. The thread stores its number first.
void wait_until_asleep(std::atomic<pid_t> const& thread) {
  auto const is_asleep = [&] {
    std::ifstream file("/proc/self/task/" + std::to_string(thread) + "/stat");
    std::string const text{std::istreambuf_iterator<char>(file), {}};
    return text.empty() || text.find(") S ") != text.npos;
  };
  while (thread == 0 || !is_asleep()) std::this_thread::yield();
}

/// The first call of all makes the cache and its mutex, for which it waits while another thread forks. This needs a process in
/// which nobody has called yet.
[[noreturn]] void fork_during_the_first_call() {
  fork_safe_mutex busy;
  busy.lock();
  bool done = false;
  static std::atomic<bool> is_forking = false;
  pthread_atfork([] { is_forking = true; }, nullptr, nullptr);  // called before the handlers of the library
  std::thread forks([&] { done = child_does([] { return cache_info().entries == 0; }); });
  while (!is_forking) std::this_thread::yield();
  std::atomic<pid_t> calling = 0;
  std::thread calls([&] {
    calling = gettid();
    cache_info();
  });
  wait_until_asleep(calling);
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
