#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <vector>

#include "plan/inplace.hpp"
#include "problem/canonical.hpp"
#include "problem/permuted.hpp"
#include "problem/print.hpp"
#include "support/any_axes.hpp"
#include "support/nanoseconds.hpp"
#include "support/rectangles.hpp"
#include "support/slowed.hpp"

namespace cornerturn {
namespace {

/// Nanoseconds that a plan may take. Squares and single panels take less than 20 us on a Zen 4. A rectangle on a GPU takes up to
/// 100 us, because both passes and up to four copies of what is saved are planned for several cuts. A sequence of exchanges is
/// found by searches among the orders of the axes: up to 1.5 ms with up to five axes, and 16 ms with six and more. The least
/// workspace of what is refused is found by some twenty plans, in up to 70 ms.
constexpr double kSlowdown = test::kSlowed ? 200 : 1;
constexpr double kMostSimple = 100e3 * kSlowdown, kMostOfRectangle = 250e3 * kSlowdown;
constexpr double kMostOfSequence = 5e6 * kSlowdown, kMostOfLongSequence = 50e6 * kSlowdown, kMostOfRefusal = 100e6 * kSlowdown;

/// Expects that both processors plan a problem in less than `most` nanoseconds, in the quickest of many rounds, or refuse it as
/// quickly as they find a long sequence. Other work on the machine hardly matters, because rounds end with the first quick one.
void expect_quick(test::square_problem const& given, double most) {
  auto const p = canonical(permutation(given.shape, {}, given.axes, given.element_size));
  if (std::ranges::all_of(p.modes, stays)) return;
  auto const workspace = usual_workspace(given.bytes());
  std::function<bool()> const plans[] = {[&] {
                                           return bool(inplace_candidate_of(p, {16, 16}, h200_model(), workspace));
                                         },
                                         [&] { return bool(cpu_inplace_candidate_of(p, {}, workspace)); }};
  for (auto const& plan : plans) {
    auto const limit = plan() ? most : kMostOfLongSequence;
    EXPECT_LT(test::nanoseconds_at_best([&] { plan(); }, limit), limit)
        << to_string(p) << (&plan == plans ? " on a GPU" : " on the CPU");
  }
}

TEST(inplace_plan_time, is_microseconds_for_squares_and_long_runs) {
  for (std::int64_t const size : {1, 4, 12, 16}) {
    expect_quick({{16384, 16384}, {1, 0}, size}, kMostSimple);
    expect_quick({{1024, 64, 1024}, {2, 1, 0}, size}, kMostSimple);
    expect_quick({{1 << 20, 8, 8}, {0, 2, 1}, size}, kMostSimple);
  }
}

/// Some of the benches' cases: sides with many common divisors and with none, and structures of 2 to 64 fields.
TEST(inplace_plan_time, is_bounded_for_rectangles) {
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
    for (std::int64_t const size : {2, 4, 8}) expect_quick({{m, n}, {1, 0}, size}, kMostOfRectangle);
  for (unsigned seed = 0; seed < 200; ++seed) expect_quick(test::random_rectangles(seed, 30'000'000), kMostOfRectangle);
}

TEST(inplace_plan_time, is_bounded_for_sequences_of_exchanges) {
  expect_quick({{256, 300, 5000}, {1, 0, 2}, 4}, kMostOfSequence);
  expect_quick({{1009, 601, 401}, {2, 1, 0}, 4}, kMostOfSequence);
  expect_quick({{128, 120, 96, 160}, {3, 2, 1, 0}, 4}, kMostOfSequence);
  expect_quick({{48, 40, 36, 32, 64}, {4, 3, 2, 1, 0}, 4}, kMostOfSequence);
  expect_quick({{16, 24, 20, 28, 32, 36}, {5, 4, 3, 2, 1, 0}, 4}, kMostOfLongSequence);
  expect_quick({{12, 18, 22, 26, 30, 34}, {2, 4, 0, 5, 1, 3}, 8}, kMostOfLongSequence);
  for (unsigned seed = 0; seed < 300; ++seed) {
    auto const p = test::random_permutation(seed, 100'000'000);
    expect_quick(p, p.shape.size() > 5 ? kMostOfLongSequence : kMostOfSequence);
  }
}

/// What has no common divisor is refused without a workspace, and the message has the least one.
TEST(inplace_plan_time, is_bounded_for_refusals) {
  auto const expect_quick_refusal = [](test::square_problem const& given) {
    auto const p = canonical(permutation(given.shape, {}, given.axes, given.element_size));
    EXPECT_LT(test::nanoseconds_at_best([&] { least_cpu_workspace(p); }, kMostOfRefusal), kMostOfRefusal) << to_string(p);
    EXPECT_LT(test::nanoseconds_at_best(
                  [&] {
                    least_gpu_workspace(p, {16, 16}, h200_model());
                  },
                  kMostOfRefusal),
              kMostOfRefusal)
        << to_string(p);
  };
  for (std::int64_t const size : {1, 3, 4, 16}) {
    expect_quick_refusal({{28'793, 218}, {1, 0}, size});
    expect_quick_refusal({{3001, 2003}, {1, 0}, size});
    expect_quick_refusal({{2'670'713, 812}, {1, 0}, size});
    expect_quick_refusal({{4'194'273, 64}, {1, 0}, size});
    expect_quick_refusal({{1009, 601, 401}, {2, 1, 0}, size});
    expect_quick_refusal({{197, 307, 251, 101}, {3, 2, 1, 0}, size});
  }
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
