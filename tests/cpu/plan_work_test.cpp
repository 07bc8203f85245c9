#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "cornerturn/text.hpp"
#include "cpu/convert/plan.hpp"
#include "cpu/tiles/plan.hpp"
#include "problem/canonical.hpp"
#include "problem/element_types.hpp"
#include "problem/permuted.hpp"
#include "problem/print.hpp"
#include "support/expect_work.hpp"
#include "support/random_operation.hpp"
#include "support/random_problem.hpp"

namespace cornerturn {
namespace {

using numbers = std::vector<std::int64_t>;

constexpr cpu_tile_hint kTileHints[] = {{}, {.columns = 4096, .row = 8 << 10, .run = 256, .staged = 2, .direct = true}};

/// A plan tries a few tiles, writes the tables of one of them, and sorts the bytes of one group.
constexpr planning_work kMostOfPlan{.tilings = 5, .offsets = 70'000, .shuffled = 16'000};

/// Elements that change are moved by boxes, of which many shapes are tried. A smaller box at the end of a mode has a plan of its
/// own.
constexpr planning_work kMostOfConversion{.tilings = 10, .pieces = 5'000, .offsets = 40'000, .shuffled = 10'000};

void expect_little_planning(problem const& p, std::string const& what) {
  for (cpu_tile_hint const& hint : kTileHints)
    test::expect_work_within(test::work_of([&] { plan_cpu(p, hint); }), kMostOfPlan, what);
}

/// A random problem, whose extents are small if it has many modes.
problem short_or_long(unsigned seed) {
  auto const extent = numbers{3, 5, 9, 20, 70, 300}[seed % 6];
  std::int64_t const rank = extent < 9 ? 12 : extent < 70 ? 5 : 3;
  return test::random_problem(seed, {.rank = rank, .extent = extent, .zero_extents = false});
}

/// These take longest to plan, among the benches' cases and 6000 problems that the arena draws.
TEST(cpu_plan_work, is_little_for_long_tables_and_large_groups) {
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
    expect_little_planning(canonical(permutation(shape, {}, axes, size)),
                           fmt::format("{} of {}", fmt::join(shape, "x"), count_text(size, "byte")));
}

TEST(cpu_plan_work, is_little_for_random_problems) {
  for (unsigned seed = 0; seed < 1500; ++seed) {
    auto const p = canonical(short_or_long(seed));
    expect_little_planning(p, to_string(p));
  }
}

/// Some of the benches' cases with elements that change. Cutting them into boxes took longer than planning the boxes.
TEST(cpu_plan_work, is_little_for_conversions) {
  struct {
    numbers shape, axes;
    std::int64_t pieces;
  } const cases[] = {{{508400, 2, 33}, {0, 2, 1}, 3200},
                     {{15, 15, 15, 32, 5, 112}, {2, 0, 4, 1, 5, 3}, 2500},
                     {{32, 14, 16, 14, 16, 3}, {0, 1, 3, 2, 4, 5}, 3100}};
  for (auto const& [shape, axes, pieces] : cases) {
    auto const p = canonical(with_operation(permutation(shape, {}, axes, 1), {element_type::f32, element_type::bf16, 0.5}));
    auto most = kMostOfConversion;
    most.pieces = pieces;
    test::expect_work_within(test::work_of([&] { plan_cpu_convert(p, kTileHints[1]); }), most, to_string(p));
  }
}

TEST(cpu_plan_work, is_little_for_random_conversions) {
  for (unsigned seed = 0; seed < 1500; ++seed) {
    std::mt19937 generator(seed);
    auto const p = canonical(test::with_random_operation(short_or_long(seed), generator));
    if (!p.operation) continue;
    for (cpu_tile_hint const& hint : kTileHints)
      test::expect_work_within(test::work_of([&] { plan_cpu_convert(p, hint); }), kMostOfConversion, to_string(p));
  }
}

/// A table is written only where tiles are moved by it: a tile of two rows would have two tables of a megabyte.
TEST(cpu_plan_work, is_not_spent_on_tables_that_nothing_reads) {
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
