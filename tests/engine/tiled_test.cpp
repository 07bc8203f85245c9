#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "kernel/gather/plan.hpp"
#include "kernel/tiled/plan.hpp"
#include "problem/permuted.hpp"
#include "support/last_block.hpp"
#include "support/seeds.hpp"
#include "support/ways.hpp"

namespace cornerturn {
namespace {

using numbers = std::vector<std::int64_t>;

/// Plans with tiles of several sizes, some of them far from square.
std::vector<candidate> tiled_candidates(problem const& simplest, alignment const& aligned) {
  std::vector<candidate> result;
  for (tiled_hint const& hint : {tiled_hint{256, 256}, tiled_hint{64, 128, 1 << 10}, tiled_hint{512, 64, 16 << 10}})
    if (auto const plan = plan_tiled(refit_elements(simplest, aligned), aligned, hint)) result.push_back(single_step(*plan));
  return result;
}

tiled_plan planned(numbers const& shape, numbers const& axes, std::int64_t size, alignment const& aligned = {}) {
  return plan_tiled(refit_elements(canonical(permutation(shape, {}, axes, size)), aligned), aligned, {}).value();
}

constexpr auto is_tiled_first = test::is_first_candidate<tiled_plan>;

TEST(tiled, follows_the_definition_on_random_problems) { test::check_ways_on_random_problems(tiled_candidates); }

/// Permutations of short even and odd modes, which need all widths of accesses.
TEST(tiled, follows_the_definition_on_permutations) {
  test::for_each_seed(150, [](unsigned seed) {
    std::mt19937 generator(seed);
    auto const draw = [&](std::int64_t low, std::int64_t high) { return low + std::int64_t(generator()) % (high - low + 1); };
    numbers shape, axes;
    std::int64_t elements = 1;
    for (std::int64_t i = 0, rank = draw(2, 6); i < rank; ++i) {
      auto const extent = draw(0, 2) == 0 ? 4 * draw(1, 12) : draw(0, 1) ? 2 * draw(1, 10) : draw(1, 40);
      if (elements * extent > 40'000) break;
      elements *= extent;
      shape.push_back(extent);
      axes.push_back(i);
    }
    std::ranges::shuffle(axes, generator);
    auto const size = std::int64_t(1) << draw(0, 4);
    auto const shift = [&] { return draw(0, 3) == 0 ? std::size_t(size * draw(0, 3)) : 0; };
    test::check_ways(permutation(shape, {}, axes, size), shift(), shift(), tiled_candidates);
  });
}

TEST(tiled, has_accesses_as_wide_as_each_side_allows) {
  auto const widths = [](std::int64_t rows, std::int64_t cols, std::int64_t size, alignment const& aligned = {}) {
    return planned({3, rows, cols}, {0, 2, 1}, size, aligned).widths();
  };
  EXPECT_EQ(widths(160, 160, 1), (tiled_widths{16, 4, 16}));
  EXPECT_EQ(widths(164, 160, 1), (tiled_widths{16, 4, 4}));
  EXPECT_EQ(widths(160, 164, 1), (tiled_widths{4, 4, 16}));
  EXPECT_EQ(widths(80, 80, 2), (tiled_widths{8, 2, 8}));
  EXPECT_EQ(widths(84, 84, 2), (tiled_widths{4, 2, 4}));
  EXPECT_EQ(widths(80, 80, 2, {8, 16}), (tiled_widths{4, 2, 8}));
  EXPECT_EQ(widths(40, 40, 4), (tiled_widths{4, 4, 4}));
  EXPECT_EQ(widths(40, 43, 4), (tiled_widths{1, 4, 4}));
  EXPECT_EQ(widths(40, 40, 8), (tiled_widths{2, 2, 2}));
  EXPECT_EQ(widths(41, 43, 8), (tiled_widths{1, 1, 1}));
}

TEST(tiled, fills_a_tile_with_short_modes) {
  EXPECT_EQ(planned({65536, 32, 32}, {0, 2, 1}, 2).elements, 4096) << "four matrices";
  EXPECT_EQ(planned({15, 15, 15, 15, 15, 15}, {2, 0, 4, 1, 5, 3}, 8).elements, 675) << "three modes";
  EXPECT_EQ(planned({1'000'000, 5}, {1, 0}, 8).elements, 960) << "rows of 5 elements";
}

TEST(tiled, reaches_the_last_of_more_than_2_to_the_32_elements) {
  for (auto const& [cols, size] : {std::pair<std::int64_t, std::int64_t>{(1 << 16) + 96, 1}, {(1 << 16) + 63, 8}}) {
    auto const p = canonical(permutation(numbers{1 << 16, cols}, {}, numbers{1, 0}, size));
    test::check_last_block(plan_tiled(refit_elements(p, {}), {}, {}).value(), p);
  }
}

TEST(tiled, is_not_planned_beyond_its_limits) {
  constexpr std::int64_t kLarge = std::int64_t(1) << 31;
  EXPECT_FALSE(plan_tiled({.modes = {{kLarge, 1, 4}, {4, kLarge, 1}}, .element_size = 8}, {}, {})) << "far rows in a tile";
  EXPECT_FALSE(plan_tiled(canonical(permutation(numbers{257, 259}, {}, numbers{1, 0}, 2)), {}, {})) << "unaligned pairs";
  problem many{.modes = {}, .element_size = 8};
  for (int i = 0; i < 25; ++i) many.modes.push_back({2, std::int64_t(1) << i, std::int64_t(1) << (24 - i)});
  EXPECT_FALSE(plan_tiled(many, {}, {})) << "more modes than digits";
}

TEST(tiled, is_the_first_candidate_where_it_is_faster) {
  EXPECT_TRUE(is_tiled_first({65536, 32, 32}, {0, 2, 1}, 2)) << "small matrices";
  EXPECT_TRUE(is_tiled_first({15, 15, 32, 15, 15, 32}, {1, 4, 0, 5, 3, 2}, 8)) << "two modes of 256 bytes";
  EXPECT_TRUE(is_tiled_first({4'000'037, 5}, {1, 0}, 8)) << "odd rows of 8-byte elements";
  EXPECT_TRUE(is_tiled_first({5, 4'000'037}, {1, 0}, 8)) << "few rows of 8-byte elements";
  EXPECT_TRUE(is_tiled_first({4182, 4, 64, 2}, {3, 2, 0, 1}, 16)) << "short rows of 16-byte elements";
  EXPECT_TRUE(is_tiled_first({115, 33, 18, 3, 12, 12}, {0, 5, 2, 3, 1, 4}, 1)) << "bytes in whole words";
}

TEST(tiled, is_not_the_first_candidate_where_another_family_is_faster) {
  EXPECT_FALSE(is_tiled_first({16384, 16384}, {1, 0}, 4));
  EXPECT_FALSE(is_tiled_first({32768, 32768}, {1, 0}, 1));
  EXPECT_FALSE(is_tiled_first({64, 512, 16, 64}, {0, 2, 1, 3}, 2)) << "heads";
  EXPECT_FALSE(is_tiled_first({16383, 16385}, {1, 0}, 4)) << "odd rows of 4-byte elements";
}

}  // namespace
}  // namespace cornerturn
