#include "cornerturn/threads.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <iterator>
#include <thread>
#include <vector>

#include "cornerturn/cache.hpp"
#include "cornerturn/permute.hpp"
#include "cornerturn/plan.hpp"
#include "support/message.hpp"
#include "support/numbered.hpp"
#include "support/slowed.hpp"

namespace cornerturn {
namespace {

TEST(num_threads, is_what_was_set_or_what_the_process_may_use) {
  int const usable = num_threads();
  EXPECT_GE(usable, 1);
  set_num_threads(3);
  EXPECT_EQ(num_threads(), 3);
  EXPECT_EQ(test::message_of([] { set_num_threads(-1); }), "threads is -1; it must be 0 or more");
  EXPECT_EQ(num_threads(), 3);
  set_num_threads(0);
  EXPECT_EQ(num_threads(), usable);
}

/// The number of threads that a call needs, the caller's among them. A child after fork has only its own thread and the threads
/// that the call starts.
int threads_of(std::function<void()> const& call) {
  auto const child = fork();
  if (child == 0) {
    alarm(600);  // ends a child that waits for threads that it does not have
    call();
    std::filesystem::directory_iterator const all("/proc/self/task");
    _exit(int(std::distance(begin(all), end(all))));
  }
  int status = -1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status)) << status;
  return WEXITSTATUS(status);
}

TEST(threads_of_a_call, are_limited_by_its_options) {
  if (test::is_slowed()) GTEST_SKIP() << test::kForkedThreads;
  constexpr std::int64_t kSide = 2000;
  std::vector<std::byte> source(4 * kSide * kSide), result(source.size());
  auto const expect = [&](int threads, int wanted) {
    auto const check = [&](char const* name, std::function<void()> const& call) {
      EXPECT_EQ(threads_of(call), wanted) << name << " with threads " << threads;
    };
    check("permute", [&] { permute(source.data(), result.data(), {kSide, kSide}, {1, 0}, 4, {.threads = threads}); });
    check("strided_copy", [&] {
      strided_copy(source.data(), {1, kSide}, result.data(), {kSide, 1}, {kSide, kSide}, 4, {.threads = threads});
    });
    auto const planned = plan_permute({kSide, kSide}, {1, 0}, 4, {.processor = processor_kind::cpu, .threads = threads});
    check("plan", [&] { planned.run(source.data(), result.data()); });
  };
  set_num_threads(4);
  expect(0, 4);
  expect(1, 1);
  expect(3, 3);
  expect(9, 4);
  set_num_threads(1);
  expect(9, 1);
  set_num_threads(0);
}

TEST(threads_of_a_call, belong_to_the_plan) {
  set_num_threads(4);
  auto const said = [](int threads) {
    return plan_permute({4, 3}, {1, 0}, 4, {.processor = processor_kind::cpu, .threads = threads}).describe();
  };
  EXPECT_NE(said(0).find(", 4 threads)"), std::string::npos) << said(0);
  EXPECT_NE(said(1).find(", 1 thread)"), std::string::npos) << said(1);
  EXPECT_NE(said(6).find(", 4 threads)"), std::string::npos) << said(6);
  set_num_threads(0);
  EXPECT_EQ(test::message_of([&] { said(-1); }), "threads is -1; it must be 0 or more");
  EXPECT_EQ(test::message_of([] { permute(nullptr, nullptr, {0}, {0}, 4, {.threads = -1}); }),
            "threads is -1; it must be 0 or more");
}

/// All want the same plans at first, of small and of large problems, while the cache is emptied now and then.
TEST(calls_of_many_threads, share_the_cache) {
  constexpr std::int64_t kRows = 1100, kCols = 1000;
  auto const source = test::numbered(4 * kRows * kCols);
  cache_clear();
  set_num_threads(2);
  std::atomic<int> wrong = 0;
  auto const calls = [&](int own) {
    std::vector<std::byte> there(source.size()), back(source.size());
    for (std::int64_t i = 0; i < 12; ++i) {
      auto const rows = i % 4 == 0 ? kRows : 10 + i, cols = i % 4 == 0 ? kCols : 20;
      permute(source.data(), there.data(), {rows, cols}, {1, 0}, 4);
      permute(there.data(), back.data(), {cols, rows}, {1, 0}, 4);
      wrong += !std::equal(back.begin(), back.begin() + 4 * rows * cols, source.begin());
      if (own == 0 && i % 5 == 4) cache_clear();
    }
  };
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back(calls, i);
  threads.clear();
  set_num_threads(0);
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace cornerturn
