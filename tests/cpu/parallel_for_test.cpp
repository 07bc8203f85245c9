#include "cpu/parallel_for.hpp"

#include <gtest/gtest.h>
#include <pthread.h>

#include <atomic>
#include <cstdlib>
#include <stdexcept>
#include <thread>
#include <vector>

#include "support/sanitized.hpp"

namespace cornerturn {
namespace {

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

/// Sets a flag when its thread ends, if it is a thread_local object.
struct end_of_thread {
  std::atomic<bool>& flag;
  ~end_of_thread() { flag = true; }
};

TEST(cpu_parallel_for, hands_the_first_exception_to_the_caller_when_all_have_ended) {
  constexpr int kThrower = 3;
  std::atomic<int> ended = 0;
  std::atomic<bool> thrown = false;
  try {
    cpu::parallel_for(5, [&](int index) {
      if (index == kThrower) {
        thread_local end_of_thread const end{thrown};
        throw std::runtime_error("first");
      }
      while (!thrown) std::this_thread::yield();
      ++ended;
      throw std::logic_error("later");
    });
    FAIL();
  } catch (std::runtime_error const& e) {
    EXPECT_STREQ(e.what(), "first");
  }
  EXPECT_EQ(ended, 4);
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
                                   while (begun < 4) std::this_thread::yield();
                                   thrown = true;
                                   throw std::runtime_error("first");
                                 }),
               std::runtime_error);
  EXPECT_EQ(ended, 4);
}

TEST(cpu_parallel_for, does_other_things_beside_the_caller) {
  std::thread::id by;
  cpu::run_in_background([&](std::stop_token const& stop) {
    by = std::this_thread::get_id();
    while (!stop.stop_requested()) std::this_thread::yield();
  });
  EXPECT_NE(by, std::this_thread::get_id());
}

TEST(cpu_parallel_for, needs_no_thread_that_cannot_be_started) {
  if (test::kSanitized) GTEST_SKIP() << "the sanitizer has stacks of its own";
  auto const without_threads = [] {
    pthread_attr_t large;
    pthread_attr_init(&large);
    pthread_attr_setstacksize(&large, std::size_t{1} << 47);  // no memory has room for it
    if (pthread_setattr_default_np(&large) != 0) std::_Exit(2);
    auto const caller = std::this_thread::get_id();
    std::atomic<int> done = 0;
    auto const count = [&] { done += std::this_thread::get_id() == caller; };
    cpu::parallel_for(64, [&](int) { count(); });
    cpu::run_in_background([&](std::stop_token const&) { count(); });
    std::_Exit(done == 65 ? 0 : 1);
  };
  EXPECT_EXIT(without_threads(), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace cornerturn
