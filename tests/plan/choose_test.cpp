#include "plan/choose.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "problem/canonical.hpp"
#include "problem/permuted.hpp"
#include "problem/print.hpp"
#include "support/expect_work.hpp"
#include "support/random_operation.hpp"
#include "support/random_problem.hpp"

namespace cornerturn {
namespace {

using numbers = std::vector<std::int64_t>;

/// Every family tries a few tiles, which it cuts smaller until they fit. A small array or one of many short modes has more tries.
constexpr planning_work kMostOfLargeArray{.candidates = 16, .tilings = 40}, kMostOfChoice{.candidates = 22, .tilings = 140};

void expect_chosen_within(problem const& p, planning_work const& most) {
  test::expect_work_within(test::work_of([&] { candidates_of(p, {16, 16}); }), most, to_string(p));
}

TEST(choose, is_little_work) {
  struct drawn {
    numbers shape, axes;
    std::int64_t size;
  };
  for (auto const& [shape, axes, size] : std::vector<drawn>{
           {{8192, 8192}, {1, 0}, 4},
           {{256, 224, 224, 3}, {0, 3, 1, 2}, 1},
           {{48, 28, 28, 28, 48}, {4, 3, 2, 1, 0}, 4},
           {{2, 131, 3, 38, 13, 145, 2}, {5, 3, 0, 2, 6, 4, 1}, 8},
           {{2, 18, 2, 4, 78, 2, 313, 9, 4}, {1, 7, 4, 0, 6, 2, 3, 8, 5}, 2},
           {{2, 19, 2, 21, 1926, 14, 3}, {2, 1, 6, 0, 3, 5, 4}, 1},
           {numbers(26, 2), {25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0}, 1}})
    expect_chosen_within(canonical(permutation(shape, {}, axes, size)), kMostOfLargeArray);
}

/// A random problem, whose extents are small if it has many modes.
problem drawn_problem(unsigned seed) {
  auto const extent = numbers{2, 3, 5, 9, 20, 70, 300}[seed % 7];
  std::int64_t const rank = extent < 9 ? 12 : extent < 70 ? 6 : 4;
  return test::random_problem(seed, {.rank = rank, .extent = extent, .zero_extents = false});
}

TEST(choose, is_little_work_for_random_problems) {
  for (unsigned seed = 0; seed < 1500; ++seed) expect_chosen_within(canonical(drawn_problem(seed)), kMostOfChoice);
}

TEST(choose, is_little_work_for_conversions) {
  for (unsigned seed = 0; seed < 1500; ++seed) {
    std::mt19937 generator(seed);
    expect_chosen_within(canonical(test::with_random_operation(drawn_problem(seed), generator)), kMostOfChoice);
  }
}

TEST(fastest_candidate, is_the_first_candidate) {
  for (unsigned seed = 0; seed < 1500; ++seed) {
    std::mt19937 generator(seed);
    auto given = test::random_problem(seed, {.rank = 6, .extent = std::int64_t(2) << seed % 5, .zero_extents = false});
    if (seed % 3 == 0) given = test::with_random_operation(given, generator);
    auto const p = canonical(given);
    auto const fastest = fastest_candidate(p, {16, 16}), first = candidates_of(p, {16, 16}).front();
    EXPECT_EQ(describe(fastest), describe(first)) << to_string(p);
    EXPECT_EQ(fastest.seconds, first.seconds) << to_string(p);
  }
}

/// The estimate that a family has for a problem, in seconds. The family must be among the candidates.
double seconds_of(problem const& p, std::string_view family) {
  for (auto const& each : candidates_of(canonical(p), {16, 16}))
    if (describe(each).find(family) != std::string::npos) return each.seconds;
  ADD_FAILURE() << family << " is no candidate for " << to_string(p);
  return 0;
}

/// Gaps are read with the elements: every second column of a matrix takes half as long again.
TEST(choose, gaps_in_the_source_take_time) {
  constexpr std::int64_t kRows = 8192, kColumns = 4096;
  for (std::int64_t size : {1, 2, 4, 8, 16}) {
    auto const columns = [&](std::int64_t step) {
      return problem{.modes = {{kRows, step * kColumns, 1}, {kColumns, step, kRows}}, .element_size = size};
    };
    EXPECT_GT(seconds_of(columns(2), "gather"), 1.3 * candidates_of(columns(1), {16, 16}).front().seconds) << size;
  }
  for (std::int64_t size : {8, 16}) {
    problem const packed{.modes = {{kRows, 2 * kColumns, kColumns}, {kColumns, 2, 1}}, .element_size = size};
    EXPECT_LT(seconds_of(packed, "direct"), seconds_of(packed, "gather")) << size;
  }
}

}  // namespace
}  // namespace cornerturn
