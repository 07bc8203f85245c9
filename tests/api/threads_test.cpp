#include "cornerturn/threads.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

#include "cornerturn/cache.hpp"
#include "cornerturn/permute.hpp"
#include "support/message.hpp"
#include "support/numbered.hpp"

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
