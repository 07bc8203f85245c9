#include <gtest/gtest.h>

#include "engine/host/host.hpp"
#include "inplace/plan.hpp"
#include "plan/choose.hpp"
#include "problem/canonical.hpp"
#include "support/inplace.hpp"
#include "support/seeds.hpp"

namespace cornerturn {
namespace {

/// The kernel that swaps. There must be one, unless no element moves.
void swapped_by_the_host(std::byte* data, test::square_problem const& p) {
  auto const simplest = canonical(permutation(p.shape, {}, p.axes, p.element_size));
  auto const moves = [](mode const& m) { return m.extent > 0 && m.source_stride != m.destination_stride; };
  auto const all = one_step_inplace(simplest, alignment_of(data, data));
  ASSERT_EQ(all.size(), std::ranges::any_of(simplest.modes, moves) ? 1u : 0u) << to_string(simplest);
  for (auto const& each : all) host::run(each.steps, {.destination = data});
}

/// Extents around the sides of tiles, aligned and not.
TEST(swap, follows_the_definition_for_every_element_size) {
  for (std::int64_t size = 1; size <= 16; ++size)
    for (std::int64_t const n : {1, 2, 7, 16, 17, 31, 32, 33, 63, 64, 65, 96, 129, 144})
      for (std::size_t const shift : {std::size_t(0), std::size_t(size)})
        test::check_inplace(test::squares_with(1, n, 1, 1, size), shift, swapped_by_the_host);
}

TEST(swap, follows_the_definition_beyond_a_tile) {
  for (std::int64_t const size : {1, 2, 4, 8, 16})
    for (std::int64_t const n : {255, 256, 257, 272})
      test::check_inplace(test::squares_with(2, n, 1, 1, size), 0, swapped_by_the_host);
}

TEST(swap, moves_batches_and_long_runs) {
  for (std::int64_t const size : {1, 4, 6, 16})
    for (std::int64_t const n : {2, 5, 40, 70})
      for (std::int64_t const run : {1, 3, 16, 1500}) {
        if (n > 5 && run == 1500) continue;
        test::check_inplace(test::squares_with(3, n, 2, run, size), 16, swapped_by_the_host);
      }
}

TEST(swap, follows_the_definition_on_random_squares) {
  test::for_each_seed(1500, [](unsigned seed) {
    auto const p = test::random_squares(seed);
    if (p.bytes() > 0 && p.bytes() <= 100'000) test::check_inplace(p, seed % 3 ? 16 : seed % 64, swapped_by_the_host);
  });
}

/// Every pair of tiles is swapped by one block, and no block does anything else.
TEST(swap, folds_the_pairs_of_tiles_to_a_rectangle) {
  for (int tiles = 1; tiles <= 9; ++tiles) {
    auto const plan = plan_swap({{.rows = tiles * 64, .columns = tiles * 64}, 4}, 16);
    ASSERT_EQ(plan.job.tiles, tiles);
    EXPECT_EQ(plan.blocks, tiles * (tiles + 1) / 2);
    std::vector<int> seen(std::size_t(tiles * tiles));
    for (int block = 0; block < plan.blocks; ++block) {
      tile_pair const pair(plan.job, block);
      ASSERT_TRUE(0 <= pair.row && pair.row <= pair.column && pair.column < tiles) << tiles << ": " << block;
      EXPECT_EQ(seen[std::size_t(pair.row * tiles + pair.column)]++, 0);
    }
  }
}

TEST(swap, uses_vectors_if_rows_and_squares_begin_with_them) {
  auto const form = [](placed_exchange const& all, int aligned) { return plan_swap(all, aligned).form; };
  auto const squares = [](std::int64_t extent, std::int64_t size, std::int64_t run = 1) {
    return placed_exchange({.rows = extent, .columns = extent, .run = run}, size);
  };
  EXPECT_EQ(form(squares(64, 4), 16), swap_form::vectors);
  EXPECT_EQ(form(squares(64, 4), 4), swap_form::elements);
  EXPECT_EQ(form(squares(65, 4), 16), swap_form::elements);
  placed_exchange apart({.batch = 2, .rows = 64, .columns = 64}, 4);
  EXPECT_EQ(form(apart, 16), swap_form::vectors);
  ++apart.array_stride;
  EXPECT_EQ(form(apart, 16), swap_form::elements);
  EXPECT_EQ(form(squares(65, 16), 16), swap_form::vectors);
  EXPECT_EQ(form(squares(64, 4, 3), 16), swap_form::runs);
  EXPECT_EQ(form(squares(32, 4), 16), swap_form::runs);
}

}  // namespace
}  // namespace cornerturn
