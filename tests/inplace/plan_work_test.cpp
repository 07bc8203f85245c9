#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "inplace/plan.hpp"
#include "problem/canonical.hpp"
#include "problem/permuted.hpp"
#include "problem/print.hpp"
#include "support/any_axes.hpp"
#include "support/expect_work.hpp"
#include "support/rectangles.hpp"

namespace cornerturn {
namespace {

/// The most work of a plan. A square or a single panel is planned at once. Both passes of a rectangle are planned for several
/// cuts, and on a GPU also up to four copies of what is saved. A sequence of exchanges is found by searches among the orders of
/// the axes. The least workspace of what is refused is found by some twenty plans.
constexpr planning_work kMostOfSquare{.candidates = 2, .tilings = 20};
constexpr planning_work kMostOfRectangle{.candidates = 180,
                                         .tilings = 1'200,
                                         .offsets = 28'000,
                                         .shuffled = 9'000,
                                         .cuts = 800,
                                         .factors = 12'000,
                                         .exchanges = 10,
                                         .edges = 160};
constexpr planning_work kMostOfSequence{.candidates = 240,
                                        .tilings = 14'000,
                                        .offsets = 9'000,
                                        .shuffled = 25'000,
                                        .cuts = 4'500,
                                        .factors = 500,
                                        .exchanges = 120,
                                        .edges = 75'000};
constexpr planning_work kMostOfLongSequence{.candidates = 700,
                                            .tilings = 30'000,
                                            .offsets = 32'000,
                                            .shuffled = 140'000,
                                            .cuts = 9'000,
                                            .factors = 1'000,
                                            .exchanges = 220,
                                            .edges = 1'500'000};
constexpr planning_work kMostOfRefusal{.candidates = 9'000,
                                       .tilings = 220'000,
                                       .offsets = 230'000,
                                       .shuffled = 110'000,
                                       .cuts = 400'000,
                                       .factors = 2'000'000,
                                       .exchanges = 4'500,
                                       .edges = 9'000'000};
constexpr planning_work kMostOfLargeRefusal{.tilings = 600,
                                            .offsets = 300'000,
                                            .shuffled = 15'000,
                                            .cuts = 80'000,
                                            .factors = 7'000'000,
                                            .exchanges = 3'500,
                                            .edges = 15'000'000};
constexpr planning_work kMostOfLongRefusal{.candidates = 4'000,
                                           .tilings = 40'000,
                                           .offsets = 100'000,
                                           .shuffled = 32'000,
                                           .cuts = 130'000,
                                           .factors = 35'000,
                                           .exchanges = 1'500,
                                           .edges = 1'500'000};

problem canonical_of(test::square_problem const& given) {
  return canonical(permutation(given.shape, {}, given.axes, given.element_size));
}

/// Expects that both processors plan a problem with at most this work, or refuse it with the work of a long sequence.
void expect_planned_within(test::square_problem const& given, planning_work const& most) {
  auto const p = canonical_of(given);
  if (std::ranges::all_of(p.modes, stays)) return;
  auto const workspace = usual_workspace(given.bytes());
  auto const expect = [&](auto const& plan, std::string_view processor) {
    bool is_planned = false;
    auto const done = test::work_of([&] { is_planned = bool(plan()); });
    test::expect_work_within(done, is_planned ? most : kMostOfLongSequence, fmt::format("{} on {}", to_string(p), processor));
  };
  expect([&] { return inplace_candidate_of(p, {16, 16}, h200_model(), workspace); }, "a GPU");
  expect([&] { return cpu_inplace_candidate_of(p, {}, workspace); }, "the CPU");
}

TEST(inplace_plan_work, is_little_for_squares_and_long_runs) {
  for (std::int64_t const size : {1, 4, 12, 16}) {
    expect_planned_within({{16384, 16384}, {1, 0}, size}, kMostOfSquare);
    expect_planned_within({{1024, 64, 1024}, {2, 1, 0}, size}, kMostOfSquare);
    expect_planned_within({{1 << 20, 8, 8}, {0, 2, 1}, size}, kMostOfSquare);
  }
}

/// Some of the benches' cases: sides with many common divisors and with none, and structures of 2 to 64 fields.
TEST(inplace_plan_work, is_bounded_for_rectangles) {
  for (auto const& [m, n] : {std::array<std::int64_t, 2>{32768, 16384},
                             {65536, 28672},
                             {32771, 16411},
                             {4099, 65537},
                             {12345, 6789},
                             {134'217'728, 2},
                             {3, 89'478'433},
                             {1'000'000'007, 3},
                             {4'194'273, 64},
                             {64, 4'194'304}})
    for (std::int64_t const size : {2, 4, 8}) expect_planned_within({{m, n}, {1, 0}, size}, kMostOfRectangle);
  for (unsigned seed = 0; seed < 200; ++seed) expect_planned_within(test::random_rectangles(seed, 30'000'000), kMostOfRectangle);
}

TEST(inplace_plan_work, is_bounded_for_sequences_of_exchanges) {
  expect_planned_within({{256, 300, 5000}, {1, 0, 2}, 4}, kMostOfSequence);
  expect_planned_within({{1009, 601, 401}, {2, 1, 0}, 4}, kMostOfSequence);
  expect_planned_within({{128, 120, 96, 160}, {3, 2, 1, 0}, 4}, kMostOfSequence);
  expect_planned_within({{48, 40, 36, 32, 64}, {4, 3, 2, 1, 0}, 4}, kMostOfSequence);
  expect_planned_within({{16, 24, 20, 28, 32, 36}, {5, 4, 3, 2, 1, 0}, 4}, kMostOfLongSequence);
  expect_planned_within({{12, 18, 22, 26, 30, 34}, {2, 4, 0, 5, 1, 3}, 8}, kMostOfLongSequence);
  for (unsigned seed = 0; seed < 300; ++seed) {
    auto const p = test::random_permutation(seed, 100'000'000);
    expect_planned_within(p, p.shape.size() > 5 ? kMostOfLongSequence : kMostOfSequence);
  }
}

/// What has no common divisor is refused without a workspace, and the message has the least one.
TEST(inplace_plan_work, is_bounded_for_refusals) {
  auto const expect_refused_within = [](test::square_problem const& given, planning_work const& most) {
    auto const p = canonical_of(given);
    auto const on_cpu = test::work_of([&] { least_cpu_workspace(p); });
    auto const on_gpu = test::work_of([&] { least_gpu_workspace(p, {16, 16}, h200_model()); });
    test::expect_work_within(on_cpu, most, to_string(p) + " on the CPU");
    test::expect_work_within(on_gpu, most, to_string(p) + " on a GPU");
  };
  for (std::int64_t const size : {1, 3, 4, 16}) {
    expect_refused_within({{28'793, 218}, {1, 0}, size}, kMostOfRefusal);
    expect_refused_within({{3001, 2003}, {1, 0}, size}, kMostOfRefusal);
    expect_refused_within({{2'670'713, 812}, {1, 0}, size}, kMostOfRefusal);
    expect_refused_within({{4'194'273, 64}, {1, 0}, size}, kMostOfRefusal);
    expect_refused_within({{1009, 601, 401}, {2, 1, 0}, size}, kMostOfLongRefusal);
    expect_refused_within({{197, 307, 251, 101}, {3, 2, 1, 0}, size}, kMostOfLongRefusal);
  }
}

/// These took seconds: there are millions of cuts into slots of one element, six axes with dozens of plans, and factors to 2^26.
TEST(inplace_plan_work, is_bounded_for_refusals_of_large_arrays) {
  auto const expect_refused_within = [](test::square_problem const& given, planning_work const& most) {
    auto const p = canonical_of(given);
    test::expect_work_within(test::work_of([&] { least_cpu_workspace(p); }), most, to_string(p));
  };
  expect_refused_within({{395'957'492, 21'751}, {1, 0}, 2}, kMostOfLargeRefusal);
  expect_refused_within({{13, 641, 4, 223, 9, 25}, {5, 4, 3, 2, 1, 0}, 4}, kMostOfLargeRefusal);
  expect_refused_within({{13, 73, 7, 139, 1195, 5}, {5, 4, 3, 2, 1, 0}, 16}, kMostOfLargeRefusal);
  expect_refused_within({{8, (std::int64_t(1) << 52) - 47}, {1, 0}, 1}, kMostOfLargeRefusal);
}

/// The quick search for the fastest way finds the first of all candidates.
TEST(inplace_candidate_of, is_the_first_candidate) {
  auto const expect_first = [](test::square_problem const& given) {
    auto const p = canonical(permutation(given.shape, {}, given.axes, given.element_size));
    if (std::ranges::all_of(p.modes, stays)) return;
    auto const all = inplace_candidates_of(p, {16, 16});
    auto const fastest = inplace_candidate_of(p, {16, 16});
    ASSERT_EQ(fastest.has_value(), !all.empty());
    if (!fastest) return;
    EXPECT_EQ(describe(*fastest), describe(all.front()));
    EXPECT_EQ(fastest->seconds, all.front().seconds);
  };
  for (unsigned seed = 0; seed < 300; ++seed) expect_first(test::random_rectangles(seed, 20'000'000));
  for (unsigned seed = 0; seed < 300; ++seed) expect_first(test::random_permutation(seed, 6'000));
}

}  // namespace
}  // namespace cornerturn
