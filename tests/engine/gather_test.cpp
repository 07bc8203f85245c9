#include <gtest/gtest.h>

#include <cstddef>
#include <random>

#include "kernel/gather/plan.hpp"
#include "problem/canonical.hpp"
#include "problem/permuted.hpp"
#include "problem/validate.hpp"
#include "support/last_block.hpp"
#include "support/random_problem.hpp"
#include "support/seeds.hpp"
#include "support/ways.hpp"

namespace cornerturn {
namespace {

/// Checks the program with a tile near a hint. Both arrays begin some bytes after a vector begins.
void check(problem const& p, tile_hint const& hint, std::size_t source_shift, std::size_t destination_shift) {
  test::check_ways(p, source_shift, destination_shift, [&](problem const& simplest, alignment const& aligned) {
    auto const plan = plan_gather(refit_elements(simplest, aligned), aligned, hint);
    EXPECT_LE(plan.job.shared.bytes, 200 << 10) << describe(plan);
    return std::vector<candidate>{single_step(plan)};
  });
}

bool is_empty(problem const& p) {
  return std::ranges::any_of(p.modes, [](mode const& m) { return m.extent == 0; });
}

TEST(gather, follows_the_definition_on_random_problems) {
  auto const run = [](unsigned seed) {
    std::mt19937 generator(seed);
    auto const draw = [&](auto const&... options) {
      std::int64_t const all[] = {options...};
      return all[generator() % sizeof...(options)];
    };
    problem const p = test::random_problem(seed, {.rank = 6, .extent = draw(3, 5, 9, 20)});
    if (is_empty(p) || destination_range(p).high > 300'000 || source_range(p).high > 2'000'000) return;
    tile_hint const hint{draw(16, 64, 256), draw(16, 64, 256, 512), draw(256, 4096, 16384), int(draw(0, 0, 2, 3, 4))};
    check(p, hint, std::size_t(draw(0, 0, 1, 4, 8)), std::size_t(draw(0, 0, 2, 4, 8, 5)));
  };
  test::for_each_seed(400, run, 8);
}

TEST(gather, rows_that_a_cut_leaves_off_a_unit) {
  check({.modes = {{400, 1, 1}, {3, 0, 400}}, .element_size = 1}, {32, 512, 4096}, 0, 1);
}

/// A short mode and a long mode: a destination row continues in the same source rows, so the offset table has one period.
TEST(gather, tabulates_one_period_of_offsets) {
  struct {
    std::int64_t few, size, period;
    std::size_t shift;
  } const cases[] = {{42, 1, 336, 0}, {42, 1, 42, 3}, {50, 4, 100, 0}, {50, 4, 50, 4}, {21, 2, 168, 0}, {3, 16, 3, 0}};
  for (auto const& each : cases) {
    auto const p = permutation(std::vector<std::int64_t>{each.few, 4096}, {}, std::vector<std::int64_t>{1, 0}, each.size);
    tile_hint const hint{512, 512, 16 << 10};
    alignment const aligned{16, each.shift ? int(each.shift & -each.shift) : 16};
    auto const job = plan_gather(refit_elements(canonical(p), aligned), aligned, hint).job;
    EXPECT_EQ(job.table.period.divisor, each.period) << each.few << " of " << each.size << " bytes";
    EXPECT_LT(job.table.entries, each.period + 24);
    check(p, hint, each.shift, each.shift);
  }
}

/// A row is written in one pass or in passes of whole sectors.
TEST(gather, writes_rows_in_whole_sectors) {
  struct {
    std::int64_t row, gap;  ///< 16-byte elements of a row, and between rows
    int lanes, turns, mask;
  } const cases[] = {{9, 1, 9, 1, 0},   {12, 1, 12, 1, 0}, {16, 2, 8, 2, 0},
                     {13, 2, 8, 2, 16}, {18, 2, 6, 3, 0},  {20, 4, 10, 2, 0}};
  for (auto const& each : cases) {
    problem const p{.modes = {{64, 1, each.row + each.gap}, {each.row, 64, 1}}, .element_size = 16};
    tile_hint const hint{1024, 16 << 10, 16 << 10};
    auto const job = plan_gather(p, {16, 16}, hint).job;
    EXPECT_EQ(job.store.lanes.divisor, each.lanes) << each.row;
    EXPECT_EQ(job.store.passes, each.turns) << each.row;
    EXPECT_EQ(job.store.align_mask, each.mask) << each.row;
    for (std::size_t const shift : {0, 16}) check(p, hint, 0, shift);
  }
}

/// A block of compute capability 8.6 has 99 KiB of shared memory, and CUDA keeps 1 KiB of an SM's for each block.
TEST(gather, tiles_fit_into_the_shared_memory_of_a_block) {
  constexpr int kMost = 99 << 10;
  auto smaller = h200_model();
  smaller.limits.shared_bytes_per_sm = 100 << 10;
  ASSERT_EQ(smaller.limits.most_shared_bytes(), kMost);
  auto const p = canonical(permutation(std::vector<std::int64_t>{50, 300, 400}, {}, std::vector<std::int64_t>{0, 2, 1}, 4));
  int larger = 0;
  for (std::int64_t const tile : {64, 72, 80, 88, 96, 104})
    for (std::int64_t const run : {64, 128, 256, 512}) {
      tile_hint const hint{run, 128, tile << 10};
      larger += plan_gather(p, {}, hint).job.shared.bytes > kMost;
      EXPECT_LE(plan_gather(p, {}, hint, smaller).job.shared.bytes, kMost);
    }
  EXPECT_GT(larger, 0);
  for (auto const& each : gather_plan::candidates(p, {}, smaller)) EXPECT_LE(each.job.shared.bytes, kMost);
}

TEST(gather, rows_of_bytes_backwards) {
  check({.modes = {{4, 1, 16}, {2, -25, 8}, {5, -5, 1}}, .element_size = 1, .source_offset = 45}, {64, 512, 16384}, 0, 0);
}

/// Tiles that are cut on either side, or whose offset within a unit differs from tile to tile.
TEST(gather, moves_small_tiles) {
  using extents = std::vector<std::int64_t>;
  struct {
    std::int64_t size;
    extents shape, axes;
    std::size_t shift;
  } const cases[] = {{1, {31, 33, 37, 19}, {2, 0, 3, 1}, 1},
                     {1, {2400, 9, 33}, {0, 2, 1}, 0},
                     {2, {7, 2, 61, 3, 150}, {1, 4, 3, 0, 2}, 0},
                     {1, {731, 1040}, {1, 0}, 0}};
  for (auto const& each : cases)
    check(permutation(each.shape, {}, each.axes, each.size), {16, 32, 256}, each.shift, 3 * each.shift);
}

/// Long rows are copied by cp.async.bulk, apart from those in tiles at the start and the end of the source. Rows have any
/// alignment.
TEST(gather, copies_long_rows_in_bulk) {
  struct {
    std::int64_t size, rows, cols, run;
    std::size_t shift;
  } const cases[] = {{1, 150, 1201, 256, 0}, {1, 150, 1201, 256, 5}, {2, 150, 700, 256, 2}, {4, 90, 301, 128, 0},
                     {4, 96, 320, 256, 16},  {8, 70, 150, 256, 8},   {16, 40, 90, 256, 0},  {4, 90, 300, 64, 0}};
  for (auto const& each : cases) {
    auto const p =
        permutation(std::vector<std::int64_t>{3, each.rows, each.cols}, {}, std::vector<std::int64_t>{0, 2, 1}, each.size);
    tile_hint const hint{each.run, 256, 8 << 10};
    alignment const aligned{each.shift ? int(each.shift & -each.shift) : 16, 16};
    auto const plan = plan_gather(refit_elements(canonical(p), aligned), aligned, hint);
    EXPECT_EQ(plan.job.load.bulk, each.run >= 128) << describe(plan);
    EXPECT_GT(plan.job.tiles, 12) << describe(plan);
    check(p, hint, each.shift, 0);
  }
}

void check_last_block(problem const& p, bool wide) {
  auto const plan = plan_gather(p, {}, {});
  EXPECT_EQ(plan.form.wide, wide) << describe(plan);
  test::check_last_block(plan, p);
}

TEST(gather, reaches_the_last_of_more_than_2_to_the_31_elements) {
  check_last_block({.modes = {{65536, 1, 49152}, {49152, 65536, 1}}, .element_size = 1}, false);
  check_last_block({.modes = {{3, 1, 40'000}, {8192, 4, 1}, {160'000, 1 << 15, 120'000}}, .element_size = 2}, false);
}

TEST(gather, reaches_far_within_a_tile) {
  constexpr std::int64_t kFar = std::int64_t(1) << 33;
  check_last_block({.modes = {{64, 1, 64}, {64, kFar, 1}}, .element_size = 1}, true);
  check_last_block({.modes = {{64, 1, kFar}, {64, 64, 1}}, .element_size = 2}, true);
}

}  // namespace
}  // namespace cornerturn
