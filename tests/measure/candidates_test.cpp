#include "measure/candidates.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "support/fake_clock.hpp"

namespace cornerturn {
namespace {

/// Candidates that carry their number as their expected time.
std::vector<candidate> numbered(int count) {
  std::vector<candidate> result;
  for (int i = 0; i < count; ++i) result.push_back(single_step(rung_plan{}, double(i)));
  return result;
}
int number_of(candidate const& each) { return int(each.seconds); }

/// A stopwatch that reads these times, whatever happens, and keeps the order in which it was asked.
struct fake {
  std::vector<double> times;
  std::vector<int> asked = {};

  stopwatch watch() {
    return [this](candidate const& each) {
      asked.push_back(number_of(each));
      return times[std::size_t(number_of(each))];
    };
  }
};

TEST(measure, finds_the_fastest) {
  fake times{{5, 4, 3, 4}};
  auto const found = measure_candidates(numbered(4), times.watch());
  EXPECT_EQ(found.index, 2u);
  EXPECT_EQ(found.seconds, 3);
  EXPECT_EQ(found.first_seconds, 5);
  EXPECT_EQ(found.candidates, 4u);
  EXPECT_EQ(found.rounds, 15);
}

/// Without this rule, many tiles of one family would keep the only plan of another one from being timed.
TEST(measure, times_every_family_whose_estimate_is_near) {
  auto candidates = numbered(12);
  for (std::size_t i = 0; i < candidates.size(); ++i) candidates[i].seconds = 100 + double(i);
  candidates[9] = single_step(gather_plan{}, 109);
  candidates[11] = single_step(direct_plan{}, 120);
  EXPECT_EQ(candidates_to_time(candidates, {}), (std::vector<std::size_t>{0, 9, 1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(candidates_to_time(candidates, {.family_margin = 0.25}), (std::vector<std::size_t>{0, 9, 11, 1, 2, 3, 4, 5}));
}

TEST(measure, warms_up_and_rotates) {
  fake times{{1, 1, 1}};
  measure_candidates(numbered(3), times.watch(), {.rounds = 3});
  EXPECT_EQ(times.asked, (std::vector{0, 1, 2, /**/ 0, 1, 2, /**/ 1, 2, 0, /**/ 2, 0, 1}));
}

TEST(measure, the_warm_up_counts_for_nothing) {
  std::map<int, int> asked;
  auto const found = measure_candidates(numbered(3), [&](candidate const& each) {
    int const number = number_of(each);
    if (asked[number]++ == 0) return number == 1 ? 100.0 : 0.1;
    return number == 1 ? 1.0 : 2.0;
  });
  EXPECT_EQ(found.index, 1u);
}

TEST(measure, drops_what_is_far_too_slow) {
  fake times{{1, 1.2, 1.6}};
  measure_candidates(numbered(3), times.watch(), {.rounds = 3});
  EXPECT_EQ(std::ranges::count(times.asked, 2), 2);
  EXPECT_EQ(std::ranges::count(times.asked, 0), 4);
}

TEST(measure, stays_with_the_first_within_the_noise) {
  EXPECT_EQ(measure_candidates(numbered(2), fake{{1, 0.995}}.watch()).index, 0u);
  EXPECT_EQ(measure_candidates(numbered(2), fake{{1, 0.985}}.watch()).index, 1u);
}

TEST(measure, the_first_loses_neither_by_one_bad_round_nor_by_many_without_a_worse_best) {
  int calls = 0;
  auto const once_slow = [&](candidate const& each) { return number_of(each) == 0 && ++calls == 2 ? 10.0 : 1.0; };
  EXPECT_EQ(measure_candidates(numbered(2), once_slow).index, 0u);
  int others = 0;
  auto const mostly_slow = [&](candidate const& each) { return number_of(each) == 0 && ++others % 5 ? 1.4 : 1.0; };
  EXPECT_EQ(measure_candidates(numbered(2), mostly_slow).index, 0u);
}

TEST(measure, the_fastest_must_win_again) {
  int calls = 0;
  auto const lucky = [&](candidate const& each) { return number_of(each) == 1 && ++calls <= 16 ? 0.5 : 1.0; };
  EXPECT_EQ(measure_candidates(numbered(3), lucky).index, 0u);
  EXPECT_GT(calls, 16);
  fake times{{1, 0.5}};
  EXPECT_EQ(measure_candidates(numbered(2), times.watch(), {.rounds = 7}).index, 0u);  // too few rounds to tell
  EXPECT_EQ(measure_candidates(numbered(2), times.watch(), {.rounds = 8}).index, 1u);
}

TEST(measure, one_outlier_does_not_choose) {
  int calls = 0;
  auto const found = measure_candidates(numbered(2), [&](candidate const& each) {
    if (++calls == 9) return 0.01;
    return number_of(each) == 0 ? 1.0 : 1.1;
  });
  EXPECT_EQ(found.index, 0u);
}

TEST(measure, takes_the_first_candidates_only) {
  fake times{std::vector<double>(20, 1.0)};
  EXPECT_EQ(measure_candidates(numbered(20), times.watch(), {.candidates = 5}).candidates, 5u);
  EXPECT_EQ(*std::ranges::max_element(times.asked), 4);
}

TEST(measure, ends_in_time) {
  struct {
    double seconds;
    std::size_t candidates;
    int rounds;
  } const cases[] = {{2e-3, 8, 12}, {40e-3, 2, 1}, {100e-3, 1, 1}};
  for (auto const& each : cases) {
    test::fake_clock clock;
    auto const found = measure_candidates(numbered(8), [&](candidate const&) {
      clock.advance(each.seconds);
      return 1.0;
    });
    EXPECT_LE(clock.seconds(), measurement_limits().seconds) << each.seconds;
    EXPECT_EQ(found.candidates, each.candidates) << each.seconds;
    EXPECT_EQ(found.rounds, each.rounds) << each.seconds;
  }
}

}  // namespace
}  // namespace cornerturn
