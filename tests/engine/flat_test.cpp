#include <gtest/gtest.h>

#include <vector>

#include "kernel/flat/plan.hpp"
#include "support/random_problem.hpp"
#include "support/seeds.hpp"
#include "support/ways.hpp"

namespace cornerturn {
namespace {

std::vector<candidate> flat_candidates(problem const& canonical, alignment const& aligned) {
  std::vector<candidate> result;
  for (auto const& each : candidates_of(canonical, aligned))
    if (std::holds_alternative<flat_plan>(each.steps.front().kernel)) result.push_back(each);
  return result;
}

problem axes_of(std::vector<std::int64_t> const& shape, std::vector<std::int64_t> const& axes, std::int64_t size) {
  return canonical(permutation(shape, {}, axes, size));
}

flat_plan first_plan(problem const& p) { return std::get<flat_plan>(flat_candidates(p, {}).at(0).steps.front().kernel); }

TEST(flat, numbers_rows_by_the_fast_modes_of_the_destination) {
  auto const batch = first_plan(axes_of({1000, 17, 19}, {0, 2, 1}, 4)).job;
  EXPECT_EQ(batch.rows, 17);
  EXPECT_EQ(batch.cols, 19'000);
  EXPECT_EQ(batch.col_digits[0].radix.divisor, 19);
  EXPECT_EQ(batch.col_digits[0].destination, 17);
  EXPECT_EQ(batch.col_digits[1].source, 17 * 19);

  auto const reversed = first_plan(axes_of({3, 5, 7, 11}, {3, 2, 1, 0}, 4)).job;
  EXPECT_EQ(reversed.rows, 3 * 5 * 7) << "15 rows are not enough";
  EXPECT_EQ(reversed.cols, 11);
}

TEST(flat, is_for_few_tiles_and_fast_modes_that_differ) {
  auto const has = [](problem const& p) { return !flat_candidates(p, {}).empty(); };
  EXPECT_TRUE(has(axes_of({64, 33, 65}, {2, 1, 0}, 4)));
  EXPECT_FALSE(has(axes_of({64, 33, 65}, {1, 0, 2}, 4))) << "rows stay rows";
  EXPECT_FALSE(has(axes_of({4096, 33, 4096}, {2, 1, 0}, 4))) << "too many tiles";
  EXPECT_FALSE(has(axes_of(std::vector<std::int64_t>(14, 2), {13, 11, 9, 7, 5, 3, 1, 12, 10, 8, 6, 4, 2, 0}, 4)))
      << "too many digits";
}

TEST(flat, follows_the_definition_on_random_problems) {
  test::for_each_seed(300, [](unsigned seed) {
    auto const p = test::random_problem(seed, {.rank = 7, .zero_extents = false});
    auto const shift = std::size_t(seed % 2 ? p.element_size.source : 0);
    test::check_ways(p, shift, shift, flat_candidates);
  });
}

}  // namespace
}  // namespace cornerturn
