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

/// Checks the only plan that `small` has for the problem, which uses this tile.
void check_tile(problem const& p, std::size_t shift, int tile) {
  auto const found = small_candidates(canonical(p), {int(shift), int(shift)});
  ASSERT_EQ(found.size(), 1u) << to_string(p);
  EXPECT_EQ(std::get<small_plan>(found.front().steps.front().kernel).tile, tile) << to_string(p);
  test::check_ways(p, shift % 16, shift % 16, small_candidates);
}

TEST(small, follows_the_definition_within_a_tile_and_beyond) {
  for (std::int64_t const size : {1, 2, 4, 8})
    for (std::int64_t const rows : {1, 2, 4, 9})
      for (std::int64_t const cols : {1, 3, 4, 8, 10}) {
        auto const unit = 16 / size;
        check_tile(matrices(3, rows * unit, cols * unit, 0, size), 16, 0);
      }
}

TEST(small, follows_the_definition_element_by_element) {
  for (int const size : {1, 2, 4, 8, 16})
    for (std::int64_t const rows : {9, 31, 33, 77})
      for (std::int64_t const cols : {11, 32, 35, 130})
        check_tile(matrices(3, rows, cols, 1, size), size, small_vector_tiles_of(size));
}

TEST(small, follows_the_definition_on_random_matrices) {
  test::for_each_seed(120, [](unsigned seed) {
    std::mt19937 generator(seed);
    auto const draw = [&](int most) { return std::int64_t(generator() % unsigned(most)); };
    auto const size = std::int64_t(1) << draw(5), unit = seed % 2 ? 16 / size : 1;
    auto const rows = (1 + draw(20)) * unit, cols = (1 + draw(20)) * unit;
    auto p = problem{.modes = {{1 + draw(4), (rows + 3 * unit) * 25 * unit * 16, rows * cols * 2},
                               {rows, cols + draw(3) * unit, 1},
                               {cols, 1, rows + draw(2) * unit}},
                     .element_size = size};
    p.source_offset = draw(3) * unit;
    p.destination_offset = draw(3) * unit;
    auto const shift = std::size_t(unit * size % 16);
    test::check_ways(p, shift, shift, small_candidates);
  });
}

TEST(small, follows_the_definition_in_its_larger_tile) {
  for (int const size : {2, 4, 8}) {
    auto const larger = small_tile_of(size, 1);
    check_tile(matrices(600, larger.rows - 16 / size, larger.cols, 16, size), 16, 1);
  }
}

TEST(small, is_for_few_tiles) {
  EXPECT_FALSE(small_candidates(canonical(matrices(2304, 32, 64, 0, 4)), {}).empty());
  EXPECT_TRUE(small_candidates(canonical(matrices(2305, 32, 64, 0, 4)), {}).empty());
  EXPECT_FALSE(small_candidates(canonical(matrices(1024, 64, 64, 0, 1)), {}).empty());
  EXPECT_TRUE(small_candidates(canonical(matrices(1025, 64, 64, 0, 1)), {}).empty());
  EXPECT_FALSE(small_candidates(canonical(matrices(1024, 31, 31, 0, 2)), {}).empty());
  EXPECT_TRUE(small_candidates(canonical(matrices(1025, 31, 31, 0, 2)), {}).empty());
  EXPECT_FALSE(small_candidates(canonical(matrices(1, 9, 31, 0, 4)), {}).empty());
  EXPECT_TRUE(small_candidates(canonical(matrices(1, 8, 31, 0, 4)), {}).empty()) << "a narrow matrix";
  EXPECT_FALSE(small_candidates(canonical(matrices(1000, 17, 19, 0, 4)), {}).empty());
  EXPECT_TRUE(small_candidates(canonical(matrices(1000, 9, 11, 0, 4)), {}).empty()) << "tiles that are mostly empty";
  EXPECT_TRUE(small_candidates(canonical(matrices(1 << 22, 32, 32, 0, 4)), {}).empty());
  EXPECT_TRUE(small_candidates(canonical(matrices(1, std::int64_t(1) << 31, 32, 0, 4)), {}).empty());
}

TEST(small, has_vectors_if_both_sides_have) {
  auto const vector_of = [](problem const& p, alignment const& aligned) {
    return std::get<small_plan>(small_candidates(canonical(p), aligned).at(0).steps.front().kernel).vector();
  };
  problem const even = matrices(1, 64, 64, 0, 4);
  EXPECT_EQ(vector_of(even, {}), 4);
  EXPECT_EQ(vector_of(even, {8, 16}), 1);
  EXPECT_EQ(vector_of(even, {16, 4}), 1);
  EXPECT_EQ(vector_of(matrices(1, 64, 63, 0, 4), {}), 1);
}

}  // namespace
}  // namespace cornerturn
