#include "plan/cache.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <thread>
#include <utility>
#include <vector>

#include "plan/request_key.hpp"

namespace cornerturn {
namespace {

constexpr std::size_t kMuch = 1 << 20;

plan_cache::plan numbered_plan(int number) {
  prepared_plan plan;
  plan.device = number;
  return std::make_shared<prepared_plan const>(plan);
}

/// The number of the plan that a key finds; -1 where there is none.
int found(plan_cache& cache, std::vector<std::int64_t> const& key) {
  auto const plan = cache.find(key);
  return plan ? plan->device : -1;
}

TEST(plan_cache, keeps_what_was_put_in) {
  plan_cache cache(4, kMuch);
  EXPECT_EQ(found(cache, {1, 2}), -1);
  cache.insert(std::vector<std::int64_t>{1, 2}, numbered_plan(5));
  cache.insert(std::vector<std::int64_t>{1, 2, 0}, numbered_plan(6));
  EXPECT_EQ(found(cache, {1, 2}), 5);
  EXPECT_EQ(found(cache, {1, 2, 0}), 6);
  EXPECT_EQ(found(cache, {2, 1}), -1);
  cache.insert(std::vector<std::int64_t>{1, 2}, numbered_plan(7));
  EXPECT_EQ(found(cache, {1, 2}), 5);
}

TEST(plan_cache, drops_what_was_not_asked_for_longest) {
  plan_cache cache(2, kMuch);
  cache.insert(std::vector<std::int64_t>{1}, numbered_plan(1));
  cache.insert(std::vector<std::int64_t>{2}, numbered_plan(2));
  EXPECT_EQ(found(cache, {1}), 1);
  cache.insert(std::vector<std::int64_t>{3}, numbered_plan(3));
  EXPECT_EQ(found(cache, {2}), -1);
  EXPECT_EQ(found(cache, {1}), 1);
  EXPECT_EQ(found(cache, {3}), 3);
}

TEST(plan_cache, has_at_most_so_much_memory_unless_it_is_of_one_plan) {
  auto const large = [](int number) {
    cpu_plan const kernel{.tables = {.row_source = std::vector<std::int64_t>(1000)}};
    prepared_plan plan;
    plan.device = number, plan.chosen = number % 2 ? single_step(kernel) : single_step(cpu_limited{.padded = {kernel}});
    return std::make_shared<prepared_plan const>(std::move(plan));
  };
  plan_cache cache(100, 25'000);
  for (int number = 1; number <= 5; ++number) cache.insert(std::vector<std::int64_t>{number}, large(number));
  EXPECT_EQ(cache.counters().entries, 2u);
  EXPECT_EQ(found(cache, {5}), 5);
  EXPECT_EQ(found(cache, {4}), 4);
  cache.clear();
  for (int number = 1; number <= 3; ++number) cache.insert(std::vector<std::int64_t>{number}, large(number));
  EXPECT_EQ(cache.counters().entries, 2u);
  plan_cache small(100, 100);
  small.insert(std::vector<std::int64_t>{1}, large(1));
  EXPECT_EQ(found(small, {1}), 1);
}

TEST(plan_cache, counts) {
  plan_cache cache(2, kMuch);
  for (std::int64_t const key : {1, 2, 1, 3, 1}) {
    std::vector<std::int64_t> const words{key};
    if (!cache.find(words)) cache.insert(words, numbered_plan(0));
  }
  auto const counted = cache.counters();
  EXPECT_EQ(counted.hits, 2u);
  EXPECT_EQ(counted.misses, 3u);
  EXPECT_EQ(counted.entries, 2u);
  EXPECT_EQ(counted.capacity, 2u);
  cache.clear();
  EXPECT_EQ(cache.counters().entries + cache.counters().hits + cache.counters().misses, 0u);
  EXPECT_EQ(found(cache, {1}), -1);
}

TEST(plan_cache, serves_threads) {
  plan_cache cache(16, kMuch);
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&cache, t] {
      for (std::int64_t i = 0; i < 5000; ++i) {
        std::int64_t const key[] = {(i * (t + 1)) % 23};
        if (auto const plan = cache.find(key))
          ASSERT_EQ(plan->device, key[0]);
        else
          cache.insert(key, numbered_plan(int(key[0])));
      }
    });
  for (auto& each : threads) each.join();
  EXPECT_EQ(cache.counters().hits + cache.counters().misses, 40'000u);
}

TEST(request_key, tells_calls_apart) {
  auto const words = [](std::initializer_list<std::vector<std::int64_t>> lists) {
    request_key key(request_key::call::permute);
    for (auto const& each : lists) key.add(each);
    return std::vector(key.words().begin(), key.words().end());
  };
  EXPECT_EQ(words({{1, 2}, {}}), words({{1, 2}, {}}));
  EXPECT_NE(words({{1, 2}, {}}), words({{1}, {2}}));
  EXPECT_NE(words({{1}}), words({{1}, {}}));
}

TEST(request_key, holds_as_many_words_as_are_added) {
  request_key key(request_key::call::permute);
  std::vector<std::int64_t> expected(key.words().begin(), key.words().end());
  for (std::int64_t i = 0; i < 1000; ++i) {
    key.add(i);
    expected.push_back(i);
    ASSERT_TRUE(std::ranges::equal(key.words(), expected)) << i;
  }
  auto const copy = key;
  EXPECT_TRUE(std::ranges::equal(copy.words(), expected));
}

}  // namespace
}  // namespace cornerturn
