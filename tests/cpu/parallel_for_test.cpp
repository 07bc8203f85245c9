#include "cpu/parallel_for.hpp"

#include <gtest/gtest.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cfenv>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <iterator>
#include <random>
#include <stdexcept>
#include <thread>
#include <vector>

#include "support/no_threads.hpp"
#include "support/sanitized.hpp"
#include "support/slowed.hpp"

namespace cornerturn {
namespace {

void wait_for(std::atomic<int> const& number, int least) {
  while (number < least) std::this_thread::yield();
}

/// Calls body() on `count` threads at once, one of which is the caller's.
void on_threads(int count, std::function<void()> const& body) {
  std::atomic<int> begun = 0;
  cpu::parallel_for(count, [&](int) {
    ++begun;
    wait_for(begun, count);
    body();
  });
}

/// Calls body() on a thread that is not the caller's, as a part of a call.
void on_a_helper(std::function<void()> const& body) {
  auto const caller = std::this_thread::get_id();
  on_threads(2, [&] {
    if (std::this_thread::get_id() != caller) body();
  });
}

/// The number of this process's threads. It is inexact while threads end.
int threads() {
  std::filesystem::directory_iterator const all("/proc/self/task");
  return int(std::distance(begin(all), end(all)));
}

/// Calls parallel_for with a random number of parts, some of which call it again. Returns false if a part was not done once, or
/// if an exception of a part was lost.
bool does_random_parts(std::mt19937& random, int depth) {
  auto const count = 1 + random() % 24, seed = random();
  bool const throws = random() % 16 == 0;
  std::vector<std::atomic<int>> times(count);
  std::atomic<bool> is_right = true;
  bool thrown = false;
  try {
    cpu::parallel_for(int(count), [&](int index) {
      ++times[std::size_t(index)];
      std::mt19937 own(seed + unsigned(index));
      if (depth > 0 && own() % 8 == 0 && !does_random_parts(own, depth - 1)) is_right = false;
      if (throws && index == int(count) / 2) throw std::runtime_error("a part");
    });
  } catch (std::runtime_error const&) {
    thrown = true;
  }
  return is_right && thrown == throws && std::ranges::all_of(times, [](int each) { return each == 1; });
}

TEST(cpu_parallel_for, does_every_part_of_nested_calls_of_many_threads_once) {
  std::atomic<int> wrong = 0;
  std::vector<std::jthread> callers;
  for (unsigned caller = 0; caller < 6; ++caller)
    callers.emplace_back([&wrong, caller] {
      std::mt19937 random(caller);
      for (int i = 0; i < 300; ++i) wrong += !does_random_parts(random, 2);
    });
  callers.clear();
  EXPECT_EQ(wrong, 0);
}

/// Two calls on two threads: the helpers of the first one go to the second one, which found none idle.
TEST(cpu_parallel_for, helps_calls_that_found_no_idle_helper) {
  std::atomic<int> first = 0, second = 0, helped = 0;
  std::atomic<bool> may_end = false;
  auto const count = 2 * int(std::thread::hardware_concurrency()) + 1;
  std::thread other([&] {
    cpu::parallel_for(count, [&](int) {
      ++first;
      while (!may_end) std::this_thread::yield();
    });
  });
  wait_for(first, count);
  auto const caller = std::this_thread::get_id();
  cpu::parallel_for(count, [&](int index) {
    ++second;
    if (index == 0) {
      may_end = true;
      wait_for(helped, 1);
    }
    if (std::this_thread::get_id() != caller) ++helped;
  });
  other.join();
  EXPECT_EQ(second, count);
  EXPECT_GT(helped, 0);
}

TEST(cpu_parallel_for, does_every_part_once_and_the_first_on_the_caller) {
  for (int const count : {1, 2, 9}) {
    std::vector<std::atomic<int>> times(static_cast<std::size_t>(count));
    std::thread::id first;
    cpu::parallel_for(count, [&](int index) {
      ++times[std::size_t(index)];
      if (index == 0) first = std::this_thread::get_id();
    });
    for (auto const& each : times) EXPECT_EQ(each, 1);
    EXPECT_EQ(first, std::this_thread::get_id());
  }
}

TEST(cpu_parallel_for, keeps_its_helpers_for_later_calls) {
  on_threads(4, [] {});
  int const before = threads();
  for (int i = 0; i < 100; ++i) on_threads(4, [] {});
  EXPECT_LT(threads(), before + 50);
}

TEST(cpu_parallel_for, keeps_the_first_exception) {
  cpu::first_exception thrown;
  EXPECT_NO_THROW(thrown.rethrow());
  thrown.keep_from([](int) { throw std::runtime_error("first"); }, 0);
  thrown.keep_from([](int) { throw std::logic_error("later"); }, 1);
  EXPECT_THROW(thrown.rethrow(), std::runtime_error);
}

TEST(cpu_parallel_for, hands_an_exception_of_a_helper_on) {
  EXPECT_THROW(on_a_helper([] { throw std::runtime_error("a helper's"); }), std::runtime_error);
  on_a_helper([] {});  // which goes on
}

TEST(cpu_parallel_for, hands_an_exception_of_the_caller_s_part_on_when_all_have_ended) {
  std::atomic<int> begun = 0, ended = 0;
  std::atomic<bool> thrown = false;
  EXPECT_THROW(cpu::parallel_for(5,
                                 [&](int index) {
                                   if (index > 0) {
                                     ++begun;
                                     while (!thrown) std::this_thread::yield();
                                     ++ended;
                                     return;
                                   }
                                   wait_for(begun, 4);
                                   thrown = true;
                                   throw std::runtime_error("first");
                                 }),
               std::runtime_error);
  EXPECT_EQ(ended, 4);
}

TEST(cpu_parallel_for, serves_calls_within_calls_and_many_callers) {
  std::atomic<int> done = 0;
  auto const call = [&] {
    for (int i = 0; i < 50; ++i)
      cpu::parallel_for(3, [&](int) { cpu::parallel_for(2, [&](int) { cpu::parallel_for(4, [&](int) { ++done; }); }); });
  };
  {
    std::vector<std::jthread> callers;
    for (int i = 0; i < 8; ++i) callers.emplace_back(call);
  }
  EXPECT_EQ(done, 8 * 50 * 3 * 2 * 4);
}

TEST(cpu_parallel_for, lets_no_caller_wait_for_busy_helpers) {
  int const all = int(std::thread::hardware_concurrency()) + 64;  // more than other tests have started
  std::atomic<int> busy = 0;
  std::atomic<bool> may_end = false;
  std::jthread const other([&] {
    cpu::parallel_for(all, [&](int) {
      ++busy;
      while (!may_end) std::this_thread::yield();
    });
  });
  wait_for(busy, all);
  auto const caller = std::this_thread::get_id();
  std::atomic<int> done = 0;
  cpu::parallel_for(5, [&](int) { done += std::this_thread::get_id() == caller; });
  EXPECT_EQ(done, 5);
  may_end = true;
}

TEST(cpu_parallel_for, has_helpers_with_the_caller_s_processors_and_rounding) {
  auto const processors = [] {
    cpu_set_t set;
    EXPECT_EQ(sched_getaffinity(0, sizeof set, &set), 0);
    return set;
  };
  on_a_helper([] {});
  auto const all = processors();
  int last = CPU_SETSIZE - 1;
  while (!CPU_ISSET(last, &all)) --last;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(last, &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  ASSERT_EQ(std::fesetround(FE_UPWARD), 0);
  on_a_helper([&] {
    auto const own = processors();
    EXPECT_TRUE(CPU_EQUAL(&own, &one));
    EXPECT_EQ(std::fegetround(), FE_UPWARD);
  });
  std::fesetround(FE_TONEAREST);
  ASSERT_EQ(sched_setaffinity(0, sizeof all, &all), 0);
  on_a_helper([&] {
    auto const own = processors();
    EXPECT_TRUE(CPU_EQUAL(&own, &all));
    EXPECT_EQ(std::fegetround(), FE_TONEAREST);
  });
}

TEST(cpu_parallel_for, has_helpers_with_a_name) {
  on_a_helper([] {
    std::array<char, 16> name;
    ASSERT_EQ(pthread_getname_np(pthread_self(), name.data(), name.size()), 0);
    EXPECT_STREQ(name.data(), "cornerturn");
  });
}

TEST(cpu_parallel_for, leaves_signals_to_the_program_s_threads) {
  on_a_helper([] {
    sigset_t blocked;
    pthread_sigmask(SIG_BLOCK, nullptr, &blocked);
    for (int const each : {SIGINT, SIGTERM, SIGALRM, SIGCHLD, SIGUSR1}) EXPECT_TRUE(sigismember(&blocked, each)) << each;
    for (int const each : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) EXPECT_FALSE(sigismember(&blocked, each)) << each;
  });
  sigset_t blocked;
  pthread_sigmask(SIG_BLOCK, nullptr, &blocked);
  EXPECT_FALSE(sigismember(&blocked, SIGINT));
}

TEST(cpu_parallel_for, needs_no_thread_that_cannot_be_started) {
  if (test::is_sanitized()) GTEST_SKIP() << "the sanitizer has stacks of its own";
  auto const without_threads = [] {
    test::refuse_threads();
    auto const caller = std::this_thread::get_id();
    std::atomic<int> done = 0;
    cpu::parallel_for(64, [&](int) { done += std::this_thread::get_id() == caller; });
    std::_Exit(done == 64 ? 0 : 1);
  };
  EXPECT_EXIT(without_threads(), testing::ExitedWithCode(0), "");
}

/// Whether a child after fork has helpers of its own.
bool child_has_helpers() {
  pid_t const child = fork();
  if (child == 0) {
    alarm(600);  // ends a child that waits for its parent's helpers
    on_threads(3, [] {});
    _exit(0);
  }
  int status = -1;
  return waitpid(child, &status, 0) == child && status == 0;
}

TEST(cpu_parallel_for, has_other_helpers_in_a_child_after_fork) {
  if (test::is_slowed()) GTEST_SKIP() << test::kForkedThreads;
  on_threads(3, [] {});
  EXPECT_TRUE(child_has_helpers());  // while helpers sleep
  bool beside_a_call = false;
  std::atomic<int> begun = 0;
  cpu::parallel_for(2, [&](int index) {
    ++begun;
    wait_for(begun, 2);
    if (index == 0) beside_a_call = child_has_helpers();
  });
  EXPECT_TRUE(beside_a_call);
  on_threads(3, [] {});
}

TEST(cpu_parallel_for, serves_a_child_that_was_forked_while_others_call) {
  if (test::is_slowed()) GTEST_SKIP() << test::kForkedThreads;
  std::jthread const other([](std::stop_token const& stop) {
    while (!stop.stop_requested()) cpu::parallel_for(2, [](int) {});
  });
  for (int i = 0; i < 50; ++i) ASSERT_TRUE(child_has_helpers());
}

TEST(cpu_parallel_for, lets_the_process_exit_whatever_its_helpers_do) {
  if (test::is_slowed() && !test::is_sanitized()) GTEST_SKIP() << "an emulated program cannot start itself";
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  auto const exit_beside_helpers = [] {
    on_threads(4, [] {});
    std::atomic<int> begun = 0;
    std::thread([&] {
      cpu::parallel_for(2, [&](int) {
        ++begun;
        while (true) pause();
      });
    }).detach();
    wait_for(begun, 2);
    std::exit(0);  // while two helpers sleep and one works
  };
  EXPECT_EXIT(exit_beside_helpers(), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace cornerturn
