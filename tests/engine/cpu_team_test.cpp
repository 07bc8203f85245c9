#include "engine/cpu/team.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <stdexcept>
#include <thread>
#include <vector>

#include "support/sanitized.hpp"

namespace cornerturn {
namespace {

TEST(cpu_team, does_every_part_once_and_the_first_on_the_caller) {
  for (int const count : {1, 2, 9}) {
    std::vector<std::atomic<int>> times(static_cast<std::size_t>(count));
    std::thread::id first;
    cpu::on_threads(count, [&](int index) {
      ++times[std::size_t(index)];
      if (index == 0) first = std::this_thread::get_id();
    });
    for (auto const& each : times) EXPECT_EQ(each, 1);
    EXPECT_EQ(first, std::this_thread::get_id());
  }
}

TEST(cpu_team, hands_the_first_exception_to_the_caller_when_all_have_ended) {
  for (int const thrower : {0, 3}) {
    std::atomic<int> ended = 0;
    std::atomic<bool> thrown = false;
    try {
      cpu::on_threads(5, [&](int index) {
        if (index == thrower) {
          thrown = true;
          throw std::runtime_error("first");
        }
        while (!thrown) std::this_thread::yield();
        std::this_thread::sleep_for(std::chrono::milliseconds(300));
        ++ended;
        throw std::logic_error("later");
      });
      FAIL();
    } catch (std::runtime_error const& e) {
      EXPECT_STREQ(e.what(), "first");
    }
    EXPECT_EQ(ended, 4);
  }
}

TEST(cpu_team, needs_no_thread_that_cannot_be_started) {
  if (test::kSanitized) GTEST_SKIP() << "the sanitizer needs memory itself";
  auto const without_memory = [] {
    rlimit const none{1, 1};
    setrlimit(RLIMIT_AS, &none);  // no stack finds room
    std::atomic<int> done = 0;
    cpu::on_threads(64, [&](int) { ++done; });
    std::_Exit(done == 64 ? 0 : 1);
  };
  EXPECT_EXIT(without_memory(), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace cornerturn
