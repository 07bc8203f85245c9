#include "inplace/sequences.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "cornerturn/index_list.hpp"
#include "problem/canonical.hpp"
#include "problem/permuted.hpp"
#include "problem/print.hpp"
#include "support/any_axes.hpp"
#include "support/plain.hpp"
#include "support/seeds.hpp"

namespace cornerturn {
namespace {

/// Squares cost one pass, other exchanges two, and only squares may have modes between them.
double by_passes(exchange const& each) { return each.rows == each.columns ? 1 : each.between == 1 ? 2 : kImpossible; }

/// Moves an array by each exchange in turn, to a second array and back.
std::vector<int> exchanged_by(std::vector<exchange> const& sequence, std::vector<int> values) {
  for (auto const& each : sequence) {
    auto const before = values;
    test::permute_plainly(problem_of(placed_exchange(each, sizeof(int))), reinterpret_cast<std::byte const*>(before.data()),
                          reinterpret_cast<std::byte*>(values.data()));
  }
  return values;
}

/// A random permutation of integers, as a problem.
problem random_problem_of_integers(unsigned seed, std::int64_t most_bytes) {
  auto const p = test::random_permutation(seed, most_bytes);
  return permutation(p.shape, {}, p.axes, sizeof(int));
}

/// Expects that a sequence of exchanges permutes an array as the problem does.
void expect_permuted_by(std::vector<exchange> const& sequence, problem const& given) {
  std::vector<int> values(std::size_t(bytes_of(given)) / sizeof(int));
  std::iota(values.begin(), values.end(), 0);
  auto expected = values;
  test::permute_plainly(given, reinterpret_cast<std::byte const*>(values.data()), reinterpret_cast<std::byte*>(expected.data()));
  EXPECT_EQ(exchanged_by(sequence, values), expected) << to_string(given);
}

double cost_of(std::vector<exchange> const& sequence, exchange_cost const& cost) {
  double result = 0;
  for (auto const& each : sequence) result += cost(each);
  return result;
}

double least_passes(index_list shape, index_list axes) {
  auto const sequence = exchanges_of(canonical(permutation(shape, {}, axes, 4)), by_passes, by_passes);
  return sequence ? cost_of(*sequence, by_passes) : -1;
}

TEST(exchanges_of, lead_to_the_permutation) {
  test::for_each_seed(3000, [](unsigned seed) {
    auto const given = random_problem_of_integers(seed, 2000);
    auto const simplest = canonical(given);
    if (std::ranges::all_of(simplest.modes, stays)) return;
    auto const sequence = exchanges_of(simplest, by_passes, by_passes);
    ASSERT_TRUE(sequence) << to_string(given);
    expect_permuted_by(*sequence, given);
  });
}

TEST(exchanges_of, prefer_few_passes) {
  EXPECT_EQ(least_passes({5, 5}, {1, 0}), 1);
  EXPECT_EQ(least_passes({5, 7}, {1, 0}), 2);
  EXPECT_EQ(least_passes({5, 7, 5}, {2, 1, 0}), 1);        // modes between a square
  EXPECT_EQ(least_passes({5, 7, 5, 7}, {2, 3, 0, 1}), 1);  // groups as a square
  EXPECT_EQ(least_passes({5, 7, 3}, {2, 1, 0}), 4);        // (5, 7) with 3, then 5 with 7
  EXPECT_EQ(least_passes({5, 5, 7, 7}, {1, 0, 3, 2}), 2);  // two squares
  EXPECT_EQ(least_passes({4, 3, 2, 6}, {3, 2, 1, 0}), 4);
  EXPECT_EQ(least_passes({2, 3, 5, 7, 11}, {4, 3, 2, 1, 0}), 6);
  EXPECT_EQ(least_passes({2, 3, 5, 7, 11, 13, 17}, {6, 5, 4, 3, 2, 1, 0}), 8);
}

/// The bound is as if all exchanges cost one pass.
TEST(exchanges_of, compare_the_costs_of_promising_sequences_only) {
  int asked = 0;
  auto const sequence = exchanges_of(
      canonical(permutation({{2, 3, 5, 7}}, {}, {{3, 2, 1, 0}}, 4)), [](exchange const&) { return 1.0; },
      [&](exchange const& each) { return ++asked, each.between == 1 ? 2.0 : 3.0; });
  ASSERT_TRUE(sequence);
  EXPECT_EQ(sequence->size(), 2u);
  EXPECT_LT(asked, 40);
}

TEST(exchanges_of, avoid_what_is_impossible) {
  auto const without = [](exchange const& forbidden) {
    return exchanges_of(canonical(permutation({{5, 7, 3}}, {}, {{2, 1, 0}}, 4)), by_passes,
                        [=](exchange const& each) { return each == forbidden ? kImpossible : by_passes(each); });
  };
  auto const first = exchanges_of(canonical(permutation({{5, 7, 3}}, {}, {{2, 1, 0}}, 4)), by_passes, by_passes);
  ASSERT_TRUE(first);
  auto const other = without(first->front());
  ASSERT_TRUE(other);
  EXPECT_NE(other->front(), first->front());
  EXPECT_FALSE(exchanges_of(canonical(permutation({{5, 7, 3}}, {}, {{2, 1, 0}}, 4)), by_passes,
                            [](exchange const&) { return kImpossible; }));
}

/// Long groups are not exchanged at once, so modes are separated, and the longest ones are split.
TEST(any_exchanges_of, lead_to_the_permutation_without_long_groups) {
  int found = 0;
  test::for_each_seed(2000, [&](unsigned seed) {
    auto const given = random_problem_of_integers(seed, 4000);
    auto const simplest = canonical(given);
    if (std::ranges::all_of(simplest.modes, stays)) return;
    auto const short_only = [](exchange const& each) {
      return std::max(each.rows, each.columns) * each.run <= 24 ? by_passes(each) : kImpossible;
    };
    auto const sequence = any_exchanges_of(simplest, short_only, short_only);
    if (!sequence) return;
    found += !exchanges_of(simplest, short_only, short_only);
    expect_permuted_by(*sequence, given);
  });
  EXPECT_GT(found, 20);
}

/// A cube's two axes that stay together are longer than a group may be, and the cube takes two swaps of squares.
TEST(any_exchanges_of, divide_the_sides_of_a_cube) {
  auto const cost = [](exchange const& each) { return each.rows == each.columns ? 1 : kImpossible; };
  for (auto const& axes : {std::vector<std::int64_t>{2, 0, 1}, {1, 2, 0}}) {
    auto const cube = canonical(permutation({{6, 6, 6}}, {}, axes, 4));
    EXPECT_FALSE(exchanges_of(cube, cost, cost));
    auto const sequence = any_exchanges_of(cube, cost, cost);
    ASSERT_TRUE(sequence);
    EXPECT_EQ(sequence->size(), 2u);
  }
}

/// The cube is also divided if there are six modes already.
TEST(any_exchanges_of, divide_a_side_beside_many_modes) {
  auto const cost = [](exchange const& each) {
    return each.rows == each.columns || std::max(each.rows, each.columns) * each.run <= 5 * 36 * 11 ? 1 : kImpossible;
  };
  auto const given = canonical(permutation({{2, 3, 5, 7, 11, 11, 11}}, {}, {{3, 2, 1, 0, 6, 4, 5}}, 4));
  ASSERT_EQ(given.modes.size(), 6u);
  EXPECT_TRUE(any_exchanges_of(given, cost, cost));
}

TEST(any_exchanges_of, are_none_where_nothing_moves) {
  for (auto const& shape : {std::vector<std::int64_t>{270}, {1}, {}})
    EXPECT_FALSE(
        any_exchanges_of(canonical(permutation(shape, {}, std::vector<std::int64_t>(shape.size(), 0), 1)), by_passes, by_passes));
}

/// So many modes have more orders than can be visited.
TEST(exchanges_of, are_found_for_many_modes) {
  constexpr std::int64_t kLongest = 1 << 21;
  auto const within_limits = [](exchange const& each) {
    auto const panel = each.rows * each.between * each.columns * each.run;
    return each.rows == each.columns || panel <= kLongest / 8                              ? 1
           : each.between == 1 && std::max(each.rows, each.columns) * each.run <= kLongest ? 2
                                                                                           : kImpossible;
  };
  for (std::size_t const modes : {8, 12, 24, 30}) {
    std::vector<std::int64_t> const shape(modes, 2);
    std::vector<std::int64_t> axes(modes);
    std::iota(axes.rbegin(), axes.rend(), 0);
    auto const sequence = exchanges_of(canonical(permutation(shape, {}, axes, 4)), within_limits, within_limits);
    ASSERT_TRUE(sequence) << modes;
    EXPECT_LE(cost_of(*sequence, within_limits), double(modes)) << modes;
  }
}

}  // namespace
}  // namespace cornerturn
