#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <vector>

#include "kernel/direct/plan.hpp"
#include "kernel/gather/plan.hpp"
#include "problem/permuted.hpp"
#include "support/last_block.hpp"
#include "support/ways.hpp"

namespace cornerturn {
namespace {

using numbers = std::vector<std::int64_t>;

/// The plans of all depths, for short jobs and others, and the one with 64-bit offsets.
std::vector<candidate> direct_candidates(problem const& simplest, alignment const& aligned) {
  std::vector<candidate> result;
  for (int const depth : kDirectDepths) {
    auto const refitted = refit_elements(simplest, aligned);
    auto plan = plan_direct(refitted, depth, false).value();
    result.push_back(single_step(plan));
    result.push_back(single_step(plan_direct(refitted, depth).value()));
    if (depth != kWideDirectDepth) continue;
    plan.wide = true;
    result.push_back(single_step(plan));
  }
  return result;
}

constexpr auto is_direct_first = test::is_first_candidate<direct_plan>;

TEST(direct, follows_the_definition_on_random_problems) { test::check_ways_on_random_problems(direct_candidates); }

TEST(direct, leaves_small_vectors_far_apart_to_shared_memory) {
  auto const count = [](std::int64_t size) {
    auto const refitted = refit_elements(canonical(permutation(numbers{101, 103}, {}, numbers{1, 0}, size)), {});
    return direct_plan::candidates(refitted, {}, h200_model()).size();
  };
  EXPECT_EQ(count(4), 0u);
  EXPECT_EQ(count(8), std::size(kDirectDepths));
}

/// Rows of 1 byte to 16 vectors that stay rows, some with unaligned arrays.
TEST(direct, follows_the_definition_for_rows_of_any_length) {
  for (std::int64_t const row : {1, 2, 3, 4, 6, 8, 16, 24, 32, 100, 128, 256})
    for (std::size_t const shift : {0, 1, 4, 8}) {
      auto const p = permutation(numbers{3, 37, 9, row}, {}, numbers{2, 0, 1, 3}, 1);
      test::check_ways(p, shift, 0, direct_candidates);
      test::check_ways(p, 0, shift, direct_candidates);
    }
}

TEST(direct, has_vectors_as_wide_as_both_sides_allow) {
  auto const size_of = [](std::int64_t row, alignment const& aligned) {
    return plan_direct(refit_elements(canonical(permutation(numbers{9, 7, row}, {}, numbers{1, 0, 2}, 2)), aligned), 2)
        ->element_size;
  };
  EXPECT_EQ(size_of(64, {}), 16);
  EXPECT_EQ(size_of(60, {}), 8);
  EXPECT_EQ(size_of(62, {}), 4);
  EXPECT_EQ(size_of(63, {}), 2);
  EXPECT_EQ(size_of(64, {16, 4}), 4);
}

TEST(direct, decodes_few_digits_without_a_loop) {
  auto const digits_of = [](std::int64_t modes, int size, std::int64_t row = 3) {
    problem p{.modes = {}, .element_size = size};
    for (std::int64_t i = 0; i + 1 < modes; ++i) p.modes.push_back({3, row << 2 * i, row << 2 * (modes - 2 - i)});
    p.modes.push_back({row, 1, 1});
    return plan_direct(p, kWideDirectDepth)->short_digits;
  };
  EXPECT_EQ(digits_of(2, 1), 4);
  EXPECT_EQ(digits_of(4, 1), 4);
  EXPECT_EQ(digits_of(5, 8), 8);
  EXPECT_EQ(digits_of(8, 16), 8);
  EXPECT_EQ(digits_of(9, 16), 0) << "too many digits";
  EXPECT_EQ(digits_of(5, 4), 0) << "too many digits for small elements";
  EXPECT_EQ(digits_of(2, 16, 1 << 30), 0) << "64-bit offsets";
}

TEST(direct, reaches_the_last_of_more_than_2_to_the_32_elements) {
  for (auto const& [rows, size] : {std::pair<std::int64_t, std::int64_t>{1 << 17, 1}, {1 << 18, 2}}) {
    auto const p = canonical(permutation(numbers{rows, 1 << 13, 9}, {}, numbers{1, 0, 2}, size));
    auto const plan = plan_direct(refit_elements(p, {}), kWideDirectDepth);
    ASSERT_TRUE(plan && plan->wide);
    test::check_last_block(*plan, p);
  }
}

TEST(direct, is_not_planned_beyond_its_limits) {
  constexpr std::int64_t kLarge = std::int64_t(1) << 31;
  EXPECT_FALSE(plan_direct({.modes = {{kLarge, 1, 1}}, .element_size = 16}, 4)) << "a mode that no 32-bit index numbers";
  EXPECT_FALSE(plan_direct({.modes = {{kLarge / 2, 1, 3}, {3, kLarge / 2, 1}}, .element_size = 1}, 2)) << "wide offsets";
  problem many{.modes = {}, .element_size = 4};
  for (int i = 0; i < 25; ++i) many.modes.push_back({2, std::int64_t(1) << i, std::int64_t(1) << (24 - i)});
  EXPECT_FALSE(plan_direct(many, 2)) << "more modes than digits";
}

TEST(direct, is_the_first_candidate_if_fast_modes_stay_together) {
  EXPECT_TRUE(is_direct_first({64, 512, 16, 64}, {0, 2, 1, 3}, 2)) << "heads";
  EXPECT_TRUE(is_direct_first({8, 4096, 32, 128}, {0, 2, 1, 3}, 2)) << "heads";
  EXPECT_TRUE(is_direct_first({64, 8, 7, 8, 7, 96}, {0, 1, 3, 2, 4, 5}, 2)) << "windows";
  EXPECT_TRUE(is_direct_first({1024, 1024, 256}, {1, 0, 2}, 1)) << "rows of 256 bytes";
  EXPECT_TRUE(is_direct_first({4, 64, 64, 64}, {0, 2, 1, 3}, 2)) << "a small problem";
}

TEST(direct, is_not_the_first_candidate_if_a_side_has_short_runs) {
  EXPECT_FALSE(is_direct_first({16384, 16384}, {1, 0}, 4));
  EXPECT_FALSE(is_direct_first({4001, 4003}, {1, 0}, 8));
  EXPECT_FALSE(is_direct_first({501, 503, 17, 3}, {1, 0, 3, 2}, 2));
  EXPECT_FALSE(is_direct_first({300, 200, 100}, {2, 1, 0}, 4));
  EXPECT_FALSE(is_direct_first({31, 70, 17, 100}, {3, 2, 1, 0}, 16));
  EXPECT_FALSE(is_direct_first({2048, 4096, 32}, {1, 0, 2}, 1)) << "runs of 32 bytes";
  EXPECT_FALSE(is_direct_first({2000, 61, 33, 4}, {0, 2, 1, 3}, 4)) << "runs of 16 bytes";
}

}  // namespace
}  // namespace cornerturn
