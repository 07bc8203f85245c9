#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>
#include <utility>
#include <vector>

#include "engine/cpu/cpu.hpp"
#include "engine/host/host.hpp"
#include "inplace/cpu.hpp"
#include "inplace/gpu.hpp"
#include "inplace/plan.hpp"
#include "problem/canonical.hpp"
#include "support/inplace.hpp"
#include "support/rectangles.hpp"
#include "support/seeds.hpp"
#include "support/slowed.hpp"
#include "support/with_workspace.hpp"

namespace cornerturn {
namespace {

constexpr std::size_t kAllCuts = std::numeric_limits<std::size_t>::max();

double by_workspace(rectangle_cut const& cut, bool) { return double(cut.workspace_bytes); }

struct cut_choice {
  std::int64_t parts;
  bool swaps_first;
};

void check_on_cpu(test::square_problem const& p, cut_choice const& cut, std::size_t shift) {
  test::check_inplace(p, shift, [&](std::byte* data, test::square_problem const&) {
    auto const whole = exchange_of(canonical(permutation(p.shape, {}, p.axes, p.element_size)));
    ASSERT_TRUE(whole);
    test::run_with_workspace(cpu_rectangle(*whole, cut_into(*whole, cut.parts), cut.swaps_first, {}), {.destination = data},
                             [](auto const& steps, plan_memory const& memory) { cpu::run(steps, memory); });
  });
}

void check_on_host_executor(test::square_problem const& p, cut_choice const& cut, std::size_t shift) {
  test::check_inplace(p, shift, [&](std::byte* data, test::square_problem const&) {
    auto const aligned = alignment_of(data, data);
    auto const whole = rectangles_of(canonical(permutation(p.shape, {}, p.axes, p.element_size)), aligned);
    ASSERT_TRUE(whole);
    auto const way = plan_passes(*whole, cut_into(*whole, cut.parts), cut.swaps_first, aligned, h200_model());
    ASSERT_TRUE(way);
    test::run_with_workspace(with_copies(*way, aligned, h200_model()).value(), {.destination = data},
                             [](auto const& steps, plan_memory const& memory) { host::run(steps, memory); });
  });
}

/// Calls check(problem, cut) for small rectangles, with every number of parts in both orders of the passes.
template <class Check>
void for_small_rectangles(std::int64_t row_step, std::int64_t column_step, std::vector<std::int64_t> const& sizes,
                          Check const& check) {
  constexpr std::int64_t kMost = 40;
  for (auto const size : sizes)
    for (std::int64_t m = 1; m <= kMost; m += row_step)
      for (std::int64_t n = 1; n <= kMost; n += column_step) {
        if (m == n || m == 1 || n == 1) continue;
        for (std::int64_t parts = 1; parts <= std::min(m, n); parts += std::max<std::int64_t>(1, parts / 3))
          for (bool const swaps_first : {false, true})
            check(test::rectangles_with(1 + (m + n) % 2, m, n, 1, size), cut_choice{parts, swaps_first});
      }
}

TEST(rectangle, follows_the_definition_on_the_cpu_for_small_cuts) {
  bool const has_one_target = std::getenv("CORNERTURN_TEST_TARGET");  // such runs are many
  for_small_rectangles(test::is_slowed() || has_one_target ? 6 : 3, 1, {1, 2, 3, 4, 8, 12, 16},
                       [](auto const& p, auto const& cut) {
                         if (!testing::Test::HasFailure()) check_on_cpu(p, cut, std::size_t(p.element_size));
                       });
}

TEST(rectangle, follows_the_definition_on_the_host_executor_for_small_cuts) {
  for_small_rectangles(test::is_slowed() ? 19 : 13, test::is_slowed() ? 19 : 11, {1, 2, 4, 8, 16},
                       [](auto const& p, auto const& cut) {
                         if (!testing::Test::HasFailure())
                           check_on_host_executor(p, cut, p.shape[1] % 2 ? std::size_t(p.element_size) : 0);
                       });
}

/// Slots of whole vectors, panels that take a cluster of blocks, runs, and panels that are far from where they were.
TEST(rectangle, follows_the_definition_with_vectors_clusters_and_shifts) {
  for (bool const swaps_first : {false, true}) {
    for (std::int64_t const size : {1, 2, 4, 8, 16}) {
      auto const side = 16 / size;
      check_on_host_executor(test::rectangles_with(2, 6 * side, 15 * side, 1, size), {3, swaps_first}, 0);
      check_on_host_executor(test::rectangles_with(1, 7 * side, 12 * side, 1, size), {3, swaps_first}, 0);
    }
    check_on_host_executor(test::rectangles_with(1, 64, 8192, 1, 4), {8, swaps_first}, 0);
    check_on_host_executor(test::rectangles_with(1, 61, 8191, 1, 4), {7, swaps_first}, 0);
    check_on_host_executor(test::rectangles_with(1, 8200, 50, 1, 4), {6, swaps_first}, 4);
    check_on_host_executor(test::rectangles_with(2, 30, 11, 3, 4), {5, swaps_first}, 4);
    check_on_host_executor(test::rectangles_with(1, 59, 40, 1, 4), {30, swaps_first}, 4);
    check_on_host_executor(test::rectangles_with(1, 40, 59, 1, 4), {30, swaps_first}, 4);
  }
}

/// Slots that one launch transposes and exchanges: blocks with slots on both sides of the diagonal, clusters whose last block has
/// fewer slots, batches, and slots of one vector. The GPU has so little shared memory that small panels take a cluster.
TEST(rectangle, exchanges_slots_in_one_launch) {
  struct extents {
    std::int64_t batch, parts, rows, columns;
  };
  auto gpu = h200_model();
  gpu.limits.shared_bytes_per_sm = (60 << 10) + gpu.limits.reserved_shared_bytes;
  int with_fewer_slots = 0;
  for (std::int64_t const size : {2, 4, 8})
    for (auto const& [batch, parts, rows, columns] : {extents{2, 3, 64 / size, 16 / size},
                                                      {1, 8, 128 / size, 48 / size},
                                                      {1, 37, 64 / size, 64 / size + 32 / size},
                                                      {2, 9, 32, 96}})
      for (bool const is_tall : {true, false}) {
        auto const m = parts * std::max(rows, columns), n = parts * std::min(rows, columns);
        auto const p = is_tall ? test::rectangles_with(batch, m, n, 1, size) : test::rectangles_with(batch, n, m, 1, size);
        for (auto const exchange : {slot_exchange::after, slot_exchange::before})
          test::check_inplace(p, 0, [&](std::byte* data, test::square_problem const&) {
            auto const aligned = alignment_of(data, data);
            auto const whole = rectangles_of(canonical(permutation(p.shape, {}, p.axes, p.element_size)), aligned);
            ASSERT_TRUE(whole);
            auto const way = plan_exchanging(*whole, cut_into(*whole, parts), exchange, aligned, gpu);
            ASSERT_TRUE(way);
            with_fewer_slots += parts % way->panel.job.block_share > 0;
            test::run_with_workspace(with_copies(*way, aligned, gpu).value(), {.destination = data},
                                     [](auto const& steps, plan_memory const& memory) { host::run(steps, memory); });
          });
      }
  EXPECT_GT(with_fewer_slots, 4);
}

/// The candidates that a plan chooses among.
TEST(rectangle, follows_the_definition_on_random_rectangles) {
  test::for_each_seed(120, [](unsigned seed) {
    auto const p = test::random_rectangles(seed);
    test::check_inplace(p, seed % 3 ? 16 : seed % 64, [](std::byte* data, test::square_problem const& given) {
      auto const aligned = alignment_of(data, data);
      auto const all = inplace_candidates_of(canonical(permutation(given.shape, {}, given.axes, given.element_size)), aligned);
      ASSERT_FALSE(all.empty());
      test::run_with_workspace(all.back(), {.destination = data},
                               [](auto const& steps, plan_memory const& memory) { host::run(steps, memory); });
    });
  });
}

TEST(rectangle, has_cuts_within_the_limits) {
  placed_exchange const whole({.rows = 3001, .columns = 2003}, 4);
  for (std::int64_t const most_workspace : {100'000, 1'000'000}) {
    auto const all = cheapest_cuts(whole, 100'000, most_workspace, kAllCuts, by_workspace);
    EXPECT_FALSE(all.empty());
    for (auto const& [cut, swaps_first, cost] : all) {
      EXPECT_LE(cut.panel_bytes(whole), 100'000);
      EXPECT_LE(cut.workspace_bytes, most_workspace);
      EXPECT_EQ(cut.parts * cut.rows + cut.rows_left, 3001);
      EXPECT_EQ(cut.parts * cut.columns + cut.columns_left, 2003);
      EXPECT_EQ(passes_of(whole, cut, true).workspace_bytes, cut.workspace_bytes);
    }
  }
  EXPECT_TRUE(cheapest_cuts(whole, 1000, kAnyWorkspace, kAllCuts, by_workspace).empty());
  EXPECT_TRUE(cheapest_cuts(whole, 100'000, 0, kAllCuts, by_workspace).empty());
}

/// The first of all cuts, sorted by cost, are found without pricing all of them.
TEST(rectangle, has_the_cheapest_cuts_of_all) {
  for (auto const& [rows, columns] : {std::array<std::int64_t, 2>{3001, 2003}, {2003, 3001}, {4096, 1536}, {70, 65536}, {2, 9}})
    for (std::int64_t const most_bytes : {10'000, 100'000, 10'000'000}) {
      placed_exchange const whole({.rows = rows, .columns = columns}, 4);
      int priced = 0;
      auto const cost = [&](rectangle_cut const& cut, bool swaps_first) {
        ++priced;
        return double(cut.parts / 8) + double(cut.workspace_bytes) / 1e4 + 50. / double(swaps_first ? cut.columns : cut.rows);
      };
      auto const all = cheapest_cuts(whole, most_bytes, kAnyWorkspace, kAllCuts, cost);
      auto const to_price_all = std::exchange(priced, 0);
      auto const some = cheapest_cuts(whole, most_bytes, kAnyWorkspace, 5, cost);
      ASSERT_EQ(some.size(), std::min<std::size_t>(5, all.size()));
      EXPECT_TRUE(std::ranges::is_sorted(all, {}, &ranked_cut::cost));
      for (std::size_t i = 0; i < some.size(); ++i) {
        EXPECT_EQ(some[i].cut.parts, all[i].cut.parts);
        EXPECT_EQ(some[i].swaps_first, all[i].swaps_first);
      }
      if (all.size() > 1000) {
        EXPECT_LT(priced, to_price_all / 2) << rows << " x " << columns;
      }
    }
}

}  // namespace
}  // namespace cornerturn
