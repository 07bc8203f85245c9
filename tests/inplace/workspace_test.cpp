#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <random>

#include "inplace/plan.hpp"
#include "problem/canonical.hpp"
#include "problem/permuted.hpp"
#include "problem/print.hpp"
#include "support/rectangles.hpp"
#include "support/seeds.hpp"
#include "support/slowed.hpp"

namespace cornerturn {
namespace {

unsigned const seeds_tried = test::is_slowed() ? 24 : 600;

/// A matrix of about `least` bytes to eight times as many, or a larger array of up to five axes, drawn from a seed. Most extents
/// are primes, so that few cuts leave nothing.
test::square_problem random_array(unsigned seed, std::int64_t least) {
  std::mt19937 generator(seed);
  auto const draw = [&](std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(generator);
  };
  auto const rank = seed % 3 ? 2 : draw(3, 5);
  test::square_problem result{.shape = {}, .axes = {}, .element_size = std::int64_t(1) << draw(0, 4)};
  auto left = double(least << (rank == 2 ? draw(0, 3) : draw(3, 6))) / double(result.element_size);
  for (std::int64_t i = 0; i < rank; ++i) {
    auto const extent = std::max<std::int64_t>(2, std::int64_t(std::pow(left, 1.0 / double(rank - i)) * std::exp2(draw(-2, 2))));
    result.shape.push_back(draw(0, 3) == 0 ? extent : test::prime_from(extent));
    left = std::max(2.0, left / double(extent));
  }
  result.axes.resize(std::size_t(rank));
  std::iota(result.axes.rbegin(), result.axes.rend(), 0);
  if (draw(0, 1)) std::ranges::shuffle(result.axes, generator);
  return result;
}

/// A plan with a limit of the workspace, and the least limit that a refusal names.
struct planner {
  std::function<std::optional<candidate>(std::int64_t most_workspace)> plan;
  std::function<std::optional<std::int64_t>()> least;
};

/// Checks that the least workspace is enough and that no smaller one is. Returns true if a plan without a workspace is refused.
bool check_least(problem const& p, planner const& by, unsigned seed) {
  if (by.plan(0)) return false;
  auto const least = by.least();
  if (!least) {
    EXPECT_FALSE(by.plan(kAnyWorkspace)) << to_string(p);
    return true;
  }
  auto const found = by.plan(*least);
  EXPECT_TRUE(found && found->workspace_bytes <= *least) << to_string(p) << ", " << *least;
  EXPECT_FALSE(by.plan(*least - 1)) << to_string(p) << ", " << *least;
  auto const less = std::mt19937(seed)() % *least;
  EXPECT_FALSE(by.plan(less)) << to_string(p) << ", " << *least << ", but " << less << " works";
  return true;
}

/// Checks arrays of `bytes` bytes or more, for as many seeds. Expects that a fifth is refused without a workspace.
void check_arrays(std::int64_t bytes, unsigned seeds, std::function<planner(problem const&)> const& planner_of) {
  int refused = 0;
  test::for_each_seed(seeds, [&](unsigned seed) {
    auto const given = random_array(seed, bytes);
    auto const p = canonical(permutation(given.shape, {}, given.axes, given.element_size));
    if (!std::ranges::all_of(p.modes, stays)) refused += check_least(p, planner_of(p), seed);
  });
  EXPECT_GE(refused, int(seeds / 5));
}

planner on_gpu(problem const& p, gpu_model const& gpu, int aligned) {
  return {.plan =
              [=](std::int64_t most) {
                return inplace_candidate_of(p, {aligned, aligned}, gpu, most);
              },
          .least =
              [=] {
                return least_gpu_workspace(p, {aligned, aligned}, gpu);
              }};
}

TEST(least_workspace, is_enough_and_no_less_is_on_the_cpu) {
  check_arrays(8 << 20, seeds_tried, [](problem const& p) {
    return planner{.plan = [=](std::int64_t most) { return cpu_inplace_candidate_of(p, {}, most); },
                   .least = [=] { return least_cpu_workspace(p); }};
  });
}

TEST(least_workspace, is_enough_and_no_less_is_on_a_gpu) {
  check_arrays(4 << 20, seeds_tried, [](problem const& p) { return on_gpu(p, h200_model(), 16); });
}

/// Small arrays, which are no more aligned than their elements, on a GPU whose clusters hold 16 KB.
TEST(least_workspace, is_enough_and_no_less_is_on_a_small_gpu) {
  auto small = h200_model();
  small.limits.cluster_blocks = 2;
  small.limits.shared_bytes_per_sm = 8192 + small.limits.reserved_shared_bytes;
  check_arrays(16 << 10, seeds_tried / 3, [&](problem const& p) { return on_gpu(p, small, int(shared_element_size(p))); });
}

/// An exchange of such an array is one panel.
TEST(least_workspace, is_none_on_the_cpu_for_arrays_of_up_to_8_mb) {
  for (unsigned seed = 0; seed < 2 * seeds_tried; ++seed) {
    auto const given = seed % 2 ? random_array(seed, 1 << 16) : test::random_rectangles(seed, 8 << 20);
    auto const p = canonical(permutation(given.shape, {}, given.axes, given.element_size));
    if (given.bytes() > 8 << 20 || std::ranges::all_of(p.modes, stays)) continue;
    auto const plan = cpu_inplace_candidate_of(p, {}, 0);
    EXPECT_TRUE(plan && plan->workspace_bytes == 0) << to_string(p);
  }
}

/// These were refused with more bytes than divided axes need.
TEST(least_workspace, is_that_of_divided_axes) {
  auto const least = [](std::int64_t m, std::int64_t n, std::int64_t size) {
    return least_cpu_workspace(canonical(permutation({{m, n}}, {}, {{1, 0}}, size)));
  };
  EXPECT_LE(least(28'793, 218, 3), 512);
  EXPECT_LE(least(5461, 1783, 4), 1024);
  EXPECT_LE(least(2, 4'948'347, 2), 512);
}

}  // namespace
}  // namespace cornerturn
