#include "inplace/cpu.hpp"

#include <gtest/gtest.h>

#include "cpu/sizes.hpp"
#include "engine/cpu/cpu.hpp"
#include "inplace/plan.hpp"
#include "support/inplace.hpp"
#include "support/rectangles.hpp"
#include "support/seeds.hpp"
#include "support/with_workspace.hpp"

namespace cornerturn {
namespace {

constexpr cpu_limits kTwo{.threads = {.most = 2}};

void run_on_cpu(candidate const& way, std::byte* data) {
  test::run_with_workspace(way, {.destination = data},
                           [](auto const& steps, plan_memory const& memory) { cpu::run(steps, memory); });
}

/// Plans rectangles of (batch, rows, columns, run) elements by chunks, whatever other way there is. False if there is no plan.
bool check_skinny(exchange const& groups, std::int64_t size, int threads) {
  cpu_limits const limits{.threads = {.most = threads}};
  auto const planned = plan_cpu_skinny({groups, size}, kAnyWorkspace, limits);
  if (!planned) return false;
  test::check_inplace(test::rectangles_with(groups.batch, groups.rows, groups.columns, groups.run, size), std::size_t(size),
                      [&](std::byte* data, auto const&) { run_on_cpu(steps_of(*planned, limits), data); });
  return true;
}

TEST(skinny, follows_the_definition) {
  for (std::int64_t const size : {1, 4, 8, 16})
    for (std::int64_t const shorter : {2, 3, 7, 16, 64})
      for (std::int64_t const longer : {4096, 4099, 20'000, 70'001})
        for (std::int64_t const batch : {1, 2}) {
          if (longer * shorter * size > 4'000'000) continue;
          EXPECT_TRUE(check_skinny({.batch = batch, .rows = longer, .columns = shorter}, size, 3)) << longer << " x " << shorter;
          EXPECT_TRUE(check_skinny({.batch = batch, .rows = shorter, .columns = longer}, size, 3)) << shorter << " x " << longer;
          if (testing::Test::HasFailure()) return;
        }
}

TEST(skinny, follows_the_definition_with_runs_and_chunks_as_long_as_the_shorter_side) {
  EXPECT_TRUE(check_skinny({.batch = 1, .rows = 3001, .columns = 5, .run = 9}, 4, 2));
  EXPECT_TRUE(check_skinny({.batch = 1, .rows = 5, .columns = 3001, .run = 9}, 4, 2));
  EXPECT_TRUE(check_skinny({.batch = 1, .rows = 128, .columns = 64}, 1, 2));
}

/// Each long row of these arrays has several panels, and after them a gap for what is saved.
TEST(skinny, follows_the_definition_with_groups_of_panels) {
  exchange const tall{.rows = 4'000'037, .columns = 2}, wide{.rows = 2, .columns = 4'000'037};
  EXPECT_GT(plan_cpu_skinny({tall, 4}, kAnyWorkspace, kTwo)->passes.panel.panel_group(), 1);
  EXPECT_TRUE(check_skinny(tall, 4, 2));
  EXPECT_TRUE(check_skinny(wide, 4, 2));
}

/// Runs that begin at the same place of every page would share few sets of the caches.
TEST(skinny, has_runs_in_different_sets_of_the_caches) {
  auto const planned = plan_cpu_skinny({{.rows = 1 << 22, .columns = 64}, 4}, 8 << 20, kTwo);
  EXPECT_EQ(planned->boxes.run / kCacheLine % 2, 1);
  EXPECT_EQ(planned->boxes.kept(), 0);
  EXPECT_GE(planned->boxes.part, 256);
}

TEST(skinny, needs_a_workspace_for_what_remains_only) {
  EXPECT_EQ(plan_cpu_skinny({{.rows = 1 << 20, .columns = 3}, 4}, 0, kTwo)->passes.workspace_bytes, 0);
  exchange const prime{.rows = 1'000'003, .columns = 3};
  EXPECT_TRUE(plan_cpu_skinny({prime, 4}, 1000, kTwo));
  EXPECT_FALSE(plan_cpu_skinny({prime, 4}, 0, kTwo));
}

TEST(boxes, follow_the_definition) {
  test::for_each_seed(120, [](unsigned seed) {
    std::mt19937 generator(seed);
    auto const draw = [&](std::int64_t low, std::int64_t high) {
      return std::uniform_int_distribution<std::int64_t>(low, high)(generator);
    };
    exchange const groups{draw(1, 3), draw(1, 30), draw(1, 3), draw(1, 30), draw(16, 900)};
    auto const size = std::int64_t(1) << draw(0, 4);
    auto const boxes = plan_cpu_boxes({groups, size}, kTwo);
    if (!boxes) return;
    candidate way;
    way.steps.push_back(inplace_step(*boxes));
    auto const shift = std::size_t(draw(0, 3) * size);
    test::check_inplace({{groups.batch, groups.rows, groups.between, groups.columns, groups.run}, {0, 3, 2, 1, 4}, size}, shift,
                        [&](std::byte* data, auto const&) { run_on_cpu(way, data); });
  });
}

/// Boxes of so many runs have a part of each. The first one ends where the array has a cache line. If runs are no whole cache
/// lines, a thread keeps the end of each part for its next box.
TEST(boxes, have_parts_of_long_runs) {
  exchange const groups{.batch = 2, .rows = 60, .columns = 70, .run = 336};
  auto const boxes = plan_cpu_boxes({groups, 4}, kTwo);
  ASSERT_TRUE(boxes);
  EXPECT_EQ(boxes->part, 512);
  EXPECT_EQ(boxes->tasks(), 6);
  for (std::int64_t const run : {336, 337})
    for (std::size_t const shift : {0, 4, 16}) {
      auto const each = plan_cpu_boxes({{.batch = 2, .rows = 60, .columns = 70, .run = run}, 4}, kTwo);
      EXPECT_EQ(each->kept(), run == 336 ? 0 : kCacheLine);
      test::check_inplace({{2, 60, 70, run}, {0, 2, 1, 3}, 4}, shift,
                          [&](std::byte* data, auto const&) { run_on_cpu({.steps = {inplace_step(*each)}}, data); });
    }
  EXPECT_FALSE(plan_cpu_boxes({{.rows = 3000, .columns = 3000, .run = 100}, 4}, kTwo));
}

}  // namespace
}  // namespace cornerturn
