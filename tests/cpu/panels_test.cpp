#include "cpu/panels/plan.hpp"

#include <gtest/gtest.h>

#include "cpu/sizes.hpp"

namespace cornerturn {
namespace {

/// Panels of a rectangle of `parts` x `parts` slots.
placed_exchange panels_with(std::int64_t parts, std::int64_t rows, std::int64_t columns, std::int64_t size) {
  placed_exchange result({.rows = rows, .between = parts, .columns = columns}, size);
  result.panels = parts, result.array_stride *= parts;
  return result;
}

/// The same column of slots that follow each other is one run of the result. A tile has about a kilobyte of each.
TEST(cpu_panels, writes_columns_of_several_slots_at_once) {
  for (std::int64_t const size : {1, 2, 4, 8, 16})
    for (std::int64_t const columns : {8, 16, 73, 256}) {
      auto const plan = plan_cpu_panels(panels_with(512, 24, columns, size));
      EXPECT_GE(plan.transpose.tile.column_bytes(), 12 * kCacheLine) << describe(plan);
      EXPECT_TRUE(plan.transpose.store.streams) << describe(plan);
    }
}

TEST(cpu_panels, keeps_rows_in_different_sets_of_the_caches) {
  auto const plan = plan_cpu_panels(panels_with(256, 64, 16, 4));
  EXPECT_EQ(plan.copy.store.row_step, plan.copy.tile.unit);
  EXPECT_EQ(plan.copy.store.column_step / kCacheLine % 2, 1);
  EXPECT_EQ(plan.panel_bytes, 256 * 64 * 16 * 4);
  EXPECT_GT(plan.memory_bytes(), plan.panel_bytes);
}

/// A tile of whole rectangles, which has an image, may be written to its own place.
TEST(cpu_panels, moves_small_rectangles_by_tiles) {
  auto const rectangles = [](std::int64_t rows, std::int64_t columns, std::int64_t size) {
    return placed_exchange({.batch = 1000, .rows = rows, .columns = columns}, size);
  };
  for (std::int64_t const size : {1, 2, 4, 8, 16}) {
    auto const plan = plan_cpu_small_panels(rectangles(24, 16, size));
    ASSERT_TRUE(plan);
    EXPECT_EQ(plan->tile.rows * plan->tile.columns, 24 * 16) << describe(*plan);
    EXPECT_EQ(plan->tile.cut_rows.loop, -1) << describe(*plan);
    EXPECT_EQ(plan->tile.cut_columns.loop, -1) << describe(*plan);
  }
  EXPECT_FALSE(plan_cpu_small_panels(rectangles(2400, 16, 4)));
  auto apart = rectangles(24, 16, 4);
  ++apart.array_stride;
  EXPECT_FALSE(plan_cpu_small_panels(apart));
}

}  // namespace
}  // namespace cornerturn
