#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>
#include <vector>

#include "plan/cpu_convert.hpp"
#include "plan/cpu_plan.hpp"
#include "problem/canonical.hpp"
#include "problem/element_types.hpp"
#include "problem/permuted.hpp"
#include "problem/print.hpp"
#include "support/nanoseconds.hpp"
#include "support/random_operation.hpp"
#include "support/random_problem.hpp"
#include "support/slowed.hpp"

namespace cornerturn {
namespace {

using numbers = std::vector<std::int64_t>;

constexpr cpu_tile_hint kTileHints[] = {{}, {.columns = 4096, .row = 8 << 10, .run = 256, .staged = 2, .direct = true}};

/// Planning takes up to 71 us on a Zen 4. Times are the least of many rounds, so that other work on the machine hardly matters.
constexpr double kMostNanoseconds = test::kSlowed ? 20e6 : 100e3;

double planning_nanoseconds(problem const& p, cpu_tile_hint const& hint) {
  return test::nanoseconds_at_best([&] { plan_cpu(p, hint); }, kMostNanoseconds);
}

/// These take longest to plan, among the benches' cases and 6000 problems that the arena draws.
TEST(cpu_plan_time, is_microseconds_for_long_tables_and_large_groups) {
  struct {
    numbers shape, axes;
    std::int64_t size;
  } const cases[] = {{{3, 67108864}, {1, 0}, 1},
                     {{67108864, 3}, {1, 0}, 1},
                     {{256, 3, 224, 224}, {0, 2, 3, 1}, 1},
                     {{2, 134217728}, {1, 0}, 1},
                     {{8164, 1356, 22, 2, 2}, {1, 4, 0, 3, 2}, 1},
                     {{955, 6, 13, 12, 2, 2, 2, 2, 3}, {4, 2, 8, 1, 3, 7, 5, 0, 6}, 4},
                     {{4, 2, 820, 5, 2, 2, 3, 2, 7, 2}, {0, 5, 2, 4, 6, 9, 8, 7, 3, 1}, 1},
                     {{2, 68, 3, 2, 2, 2, 2, 153, 13, 9, 2, 2}, {2, 11, 5, 10, 1, 4, 6, 7, 9, 0, 3, 8}, 2}};
  for (auto const& [shape, axes, size] : cases)
    for (cpu_tile_hint const& hint : kTileHints) {
      auto const problem = canonical(permutation(shape, {}, axes, size));
      double const each = planning_nanoseconds(problem, hint);
      fmt::print("{:.1f} us for {} of {}\n", 1e-3 * each, fmt::join(shape, "x"), count_text(size, "byte"));
      EXPECT_LT(each, kMostNanoseconds);
    }
}

/// After a large allocation ends, the C library keeps as much freed memory as that. Otherwise each plan's tables would be new pages,
/// which take longer than planning.
void keep_freed_memory() {
  void* volatile large = std::malloc(16 << 20);
  std::free(large);
}

TEST(cpu_plan_time, slow_random_problems_take_microseconds) {
  keep_freed_memory();
  for (unsigned seed = 0; seed < 1500; ++seed) {
    auto const extent = numbers{3, 5, 9, 20, 70, 300}[seed % 6];
    std::int64_t const rank = extent < 9 ? 12 : extent < 70 ? 5 : 3;
    auto const p = canonical(test::random_problem(seed, {.rank = rank, .extent = extent, .zero_extents = false}));
    for (cpu_tile_hint const& hint : kTileHints) EXPECT_LT(planning_nanoseconds(p, hint), kMostNanoseconds) << to_string(p);
  }
}

/// Some of the benches' cases with elements that change. Cutting them into boxes took longer than planning the boxes.
TEST(cpu_plan_time, is_microseconds_for_conversions) {
  struct {
    numbers shape, axes;
  } const cases[] = {{{508400, 2, 33}, {0, 2, 1}},
                     {{15, 15, 15, 32, 5, 112}, {2, 0, 4, 1, 5, 3}},
                     {{32, 14, 16, 14, 16, 3}, {0, 1, 3, 2, 4, 5}}};
  for (auto const& [shape, axes] : cases) {
    auto const p = canonical(with_operation(permutation(shape, {}, axes, 1), {element_type::f32, element_type::bf16, 0.5}));
    double const each = test::nanoseconds_of([&] { plan_cpu_convert(p, kTileHints[1]); }, 5);
    fmt::print("{:.1f} us for {} from f32 to bf16\n", 1e-3 * each, fmt::join(shape, "x"));
    EXPECT_LT(each, kMostNanoseconds);
  }
}

TEST(cpu_plan_time, slow_random_conversions_take_microseconds) {
  keep_freed_memory();
  for (unsigned seed = 0; seed < 1500; ++seed) {
    auto const extent = numbers{3, 5, 9, 20, 70, 300}[seed % 6];
    std::int64_t const rank = extent < 9 ? 12 : extent < 70 ? 5 : 3;
    std::mt19937 generator(seed);
    auto const p = canonical(test::with_random_operation(
        test::random_problem(seed, {.rank = rank, .extent = extent, .zero_extents = false}), generator));
    if (!p.operation) continue;
    for (cpu_tile_hint const& hint : kTileHints) {
      auto const each = test::nanoseconds_at_best([&] { plan_cpu_convert(p, hint); }, kMostNanoseconds);
      EXPECT_LT(each, kMostNanoseconds) << to_string(p);
    }
  }
}

/// A table is written only where tiles are moved by it: a tile of two rows would have two tables of a megabyte.
TEST(cpu_plan_time, is_not_spent_on_tables_that_nothing_reads) {
  auto const matrix = canonical(permutation(numbers{2, 134217728}, {}, numbers{1, 0}, 1));
  for (cpu_tile_hint const& hint : kTileHints) {
    auto const plan = plan_cpu(matrix, hint);
    EXPECT_EQ(plan.tables.row_source.size(), 2u);
    EXPECT_TRUE(plan.tables.column_source.empty() && plan.tables.column_destination.empty()) << describe(plan);
  }
  auto const shuffled = plan_cpu(canonical(permutation(numbers{100, 200, 5}, {}, numbers{1, 0, 2}, 4)));
  EXPECT_TRUE(shuffled.shuffle.units > 0 && shuffled.tables.column_source.empty()) << describe(shuffled);
  EXPECT_EQ(shuffled.shuffle.lines.size(), shuffled.store.dense ? 1u : std::size_t(shuffled.tile.columns));
}

}  // namespace
}  // namespace cornerturn
