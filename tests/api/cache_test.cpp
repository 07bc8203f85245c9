#include "cornerturn/cache.hpp"

#include <gtest/gtest.h>

#include <array>

#include "cornerturn/permute.hpp"
#include "cornerturn/transpose.hpp"
#include "support/expect_work.hpp"

namespace cornerturn {
namespace {

TEST(cache, serves_calls_that_are_alike) {
  std::array<int, 24> const source{};
  std::array<int, 24> result, other;
  cache_clear();
  permute(source.data(), result.data(), {2, 3, 4}, {2, 1, 0}, 4);
  permute(source.data(), other.data(), {2, 3, 4}, {2, 1, 0}, 4);
  EXPECT_EQ(cache_info().misses, 1u);
  EXPECT_EQ(cache_info().hits, 1u);
  permute(source.data(), result.data(), {2, 3, 4}, {2, 0, 1}, 4);
  permute(source.data(), result.data(), {2, 3, 4}, {2, 0, 1}, 2);
  strided_copy(source.data(), {1}, result.data(), {1}, {24}, 4);
  transpose(source.data(), result.data(), 4, 6, 4);
  transpose(source.data(), result.data(), 4, 6, 4);
  transpose(source.data(), result.data(), 4, 5, 4, {.source_pitch = 6});
  EXPECT_EQ(cache_info().misses, 6u);
  EXPECT_EQ(cache_info().hits, 2u);
  EXPECT_EQ(cache_info().entries, 6u);
  cache_clear();
  EXPECT_EQ(cache_info().entries, 0u);
}

TEST(cache, keeps_nothing_of_calls_that_are_refused) {
  std::array<int, 24> memory{};
  cache_clear();
  EXPECT_ANY_THROW(permute(memory.data(), memory.data() + 12, {2, 3}, {1, 1}, 4));
  EXPECT_EQ(cache_info().entries, 0u);
}

/// bench/cpu_calls.cpp measures the time of such a call.
TEST(cache, a_hit_plans_nothing) {
  std::array<int, 24> const source{};
  std::array<int, 24> result;
  auto const call = [&] { permute(source.data(), result.data(), {2, 3, 4}, {2, 1, 0}, 4); };
  cache_clear();
  EXPECT_GT(test::work_of(call).tilings, 0);
  EXPECT_EQ(test::work_of(call), planning_work{});
}

}  // namespace
}  // namespace cornerturn
