#include <gtest/gtest.h>

#include <random>

#include "kernel/small/plan.hpp"
#include "support/seeds.hpp"
#include "support/ways.hpp"

namespace cornerturn {
namespace {

std::vector<candidate> small_candidates(problem const& canonical, alignment const& aligned) {
  std::vector<candidate> result;
  for (auto const& each : candidates_of(canonical, aligned))
    if (std::holds_alternative<small_plan>(each.steps.front().kernel)) result.push_back(each);
  return result;
}

problem matrices(std::int64_t batch, std::int64_t rows, std::int64_t cols, std::int64_t gap, std::int64_t size) {
  return {.modes = {{batch, rows * cols, (rows + gap) * cols}, {rows, cols, 1}, {cols, 1, rows + gap}}, .element_size = size};
}

TEST(small, follows_the_definition_within_a_tile_and_beyond) {
  for (std::int64_t const size : {1, 2, 4, 8})
    for (std::int64_t const rows : {1, 2, 4, 9})
      for (std::int64_t const cols : {1, 3, 4, 8, 10}) {
        auto const unit = 16 / size;
        auto const p = matrices(3, rows * unit, cols * unit, 0, size);
        ASSERT_EQ(small_candidates(canonical(p), {}).size(), 1u) << to_string(p);
        test::check_ways(p, 0, 0, small_candidates);
      }
}

TEST(small, follows_the_definition_on_random_matrices) {
  test::for_each_seed(60, [](unsigned seed) {
    std::mt19937 generator(seed);
    auto const draw = [&](int most) { return std::int64_t(generator() % unsigned(most)); };
    auto const size = std::int64_t(1) << draw(4), unit = 16 / size;
    auto const rows = (1 + draw(20)) * unit, cols = (1 + draw(20)) * unit;
    auto p = problem{.modes = {{1 + draw(4), (rows + 3 * unit) * 25 * unit * 16, rows * cols * 2},
                               {rows, cols + draw(3) * unit, 1},
                               {cols, 1, rows + draw(2) * unit}},
                     .element_size = size};
    p.source_offset = draw(3) * unit;
    p.destination_offset = draw(3) * unit;
    test::check_ways(p, 0, 0, small_candidates);
  });
}

TEST(small, follows_the_definition_in_its_larger_tile) {
  for (std::int64_t const size : {2, 4, 8}) {
    auto const larger = small_tile_of(int(size), 1);
    auto const p = matrices(600, larger.rows - 16 / size, larger.cols, 16, size);
    auto const found = small_candidates(canonical(p), {});
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(std::get<small_plan>(found.front().steps.front().kernel).tile, 1);
    test::check_ways(p, 0, 0, small_candidates);
  }
}

TEST(small, is_for_few_tiles) {
  EXPECT_FALSE(small_candidates(canonical(matrices(2304, 32, 64, 0, 4)), {}).empty());
  EXPECT_TRUE(small_candidates(canonical(matrices(2305, 32, 64, 0, 4)), {}).empty());
  EXPECT_FALSE(small_candidates(canonical(matrices(1024, 64, 64, 0, 1)), {}).empty());
  EXPECT_TRUE(small_candidates(canonical(matrices(1025, 64, 64, 0, 1)), {}).empty());
  EXPECT_TRUE(small_candidates(canonical(matrices(1 << 22, 32, 32, 0, 4)), {}).empty());
  EXPECT_TRUE(small_candidates(canonical(matrices(1, std::int64_t(1) << 31, 32, 0, 4)), {}).empty());
}

TEST(small, is_for_whole_vectors_alone) {
  problem const even = canonical(matrices(1, 64, 64, 0, 4)), odd = canonical(matrices(1, 64, 63, 0, 4)),
                wide = canonical(matrices(1, 64, 64, 0, 16));
  EXPECT_FALSE(small_candidates(even, {}).empty());
  EXPECT_TRUE(small_candidates(even, {8, 16}).empty());
  EXPECT_TRUE(small_candidates(even, {16, 4}).empty());
  EXPECT_TRUE(small_candidates(odd, {}).empty());
  EXPECT_TRUE(small_candidates(wide, {}).empty());
}

}  // namespace
}  // namespace cornerturn
