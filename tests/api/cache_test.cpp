#include "cornerturn/cache.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>

#include "cornerturn/permute.hpp"
#include "cornerturn/transpose.hpp"
#include "support/nanoseconds.hpp"

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

/// What a call costs that finds its plan: all but the moving of one element. A launch takes two microseconds or more.
TEST(cache, a_hit_costs_little) {
  double const source = 1;
  double result;
  double const each = test::nanoseconds_of([&] {
    permute(&source, &result, {1, 1, 1, 1}, {0, 3, 1, 2}, 8, {.destination_strides = {1, 1, 1, 1}});
  });
  fmt::print("{:.0f} ns a call\n", each);
  EXPECT_LT(each, 5000);  // loose, for sanitizers and busy machines
}

}  // namespace
}  // namespace cornerturn
