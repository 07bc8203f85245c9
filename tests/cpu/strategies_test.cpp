#include "cpu/tiles/tiles.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "cpu/tiles/strategy.hpp"
#include "problem/canonical.hpp"
#include "problem/permuted.hpp"
#include "support/check_tiles.hpp"
#include "support/targets.hpp"

namespace cornerturn {
namespace {

using numbers = std::vector<std::int64_t>;

/// Hints of tiles: results stay in the caches, are written past them, and are written past them without an image.
constexpr cpu_tile_hint kCached{.tile = 20'000, .streamed_above = test::kNeverStreams},
    kStreamed{.tile = 20'000, .streamed_above = 0}, kDirect{.tile = 30'000, .streamed_above = 0, .direct = true};
/// The same two hints for vectors that are shorter than cache lines.
constexpr cpu_tile_hint kShortStreamed{.tile = 20'000, .streamed_above = 0, .limits = {.line_vectors = false}},
    kShortDirect{.tile = 30'000, .streamed_above = 0, .direct = true, .limits = {.line_vectors = false}};

struct strategy_case {
  cpu_strategy strategy;
  problem given;
  cpu_tile_hint hint;
};

std::vector<strategy_case> cases() {
  auto const permuted = [](numbers const& shape, numbers const& axes, std::int64_t size) {
    return permutation(shape, {}, axes, size);
  };
  return {
      {cpu_strategy::copy_units, {.modes = {{1000, 3, 2}}, .element_size = 8}, kStreamed},
      {cpu_strategy::copy_units, {.modes = {{5000, 3, 1}}, .element_size = 8}, kCached},
      {cpu_strategy::copy_runs, permuted({30, 20, 515}, {1, 0, 2}, 1), kCached},
      {cpu_strategy::copy_runs, permuted({100'000}, {0}, 1), kStreamed},
      {cpu_strategy::copy_blocks, permuted({30, 20, 48}, {1, 0, 2}, 1), kCached},
      {cpu_strategy::copy_blocks, permuted({30, 20, 65}, {1, 0, 2}, 1), kCached},
      {cpu_strategy::copy_blocks, permuted({30, 20, 128}, {1, 0, 2}, 1), kCached},
      {cpu_strategy::copy_blocks, permuted({30, 20, 200}, {1, 0, 2}, 1), kCached},
      {cpu_strategy::copy_blocks, permuted({3, 200}, {1, 0}, 16), kCached},
      {cpu_strategy::copy_nt, permuted({30, 20, 128}, {1, 0, 2}, 4), kDirect},
      {cpu_strategy::copy_nt, permuted({30, 20, 1100}, {1, 0, 2}, 1), kDirect},
      {cpu_strategy::transpose_cached, permuted({300, 200}, {1, 0}, 4), kCached},
      {cpu_strategy::transpose_cached, permuted({10, 300}, {1, 0}, 2), kCached},
      {cpu_strategy::transpose_cached, permuted({3, 2000}, {1, 0}, 1), kCached},
      {cpu_strategy::transpose_image, permuted({300, 200}, {1, 0}, 4), kStreamed},
      {cpu_strategy::transpose_image, permuted({30, 20, 20}, {1, 0, 2}, 4), kStreamed},
      {cpu_strategy::transpose_image, permuted({5, 7, 32, 3, 16}, {1, 3, 0, 4, 2}, 4), kShortStreamed},
      {cpu_strategy::transpose_image, permuted({12, 3, 5}, {2, 1, 0}, 8), kCached},
      {cpu_strategy::transpose_staged, permuted({300, 200}, {1, 0}, 1), kStreamed},
      {cpu_strategy::transpose_nt, permuted({512, 200}, {1, 0}, 4), kDirect},
      {cpu_strategy::transpose_nt, permuted({511, 205}, {1, 0}, 2), kDirect},
      {cpu_strategy::transpose_nt, permuted({9, 96, 96}, {0, 2, 1}, 4), kShortDirect},
      {cpu_strategy::transpose_nt, permuted({9, 150, 51}, {0, 2, 1}, 4), kShortDirect},
      {cpu_strategy::transpose_nt, permuted({5, 7, 96, 3, 16}, {1, 3, 0, 4, 2}, 4), kShortDirect},
      {cpu_strategy::deinterleave_nt, permuted({7040, 3}, {1, 0}, 4), kDirect},
      {cpu_strategy::interleave_nt, permuted({3, 7043}, {1, 0}, 2), kDirect},
      {cpu_strategy::gather, {.modes = {{33, 4, 64}, {4, 132, 16}, {4, 1, 4}, {4, 528, 1}}, .element_size = 4}, kCached},
      {cpu_strategy::gather, {.modes = {{33, 4, 64}, {4, 132, 16}, {4, 1, 4}, {4, 528, 1}}, .element_size = 4}, kStreamed},
      {cpu_strategy::shuffle, permuted({151, 157}, {1, 0}, 3), kCached},
      {cpu_strategy::shuffle, permuted({1000, 2, 3}, {0, 2, 1}, 1), kStreamed},
  };
}

class cpu_strategies : public test::on_each_target {};

TEST_P(cpu_strategies, are_planned_and_move_their_problems) {
  auto next = cpu_strategy::copy_units;
  for (auto const& each : cases()) {
    EXPECT_LE(int(each.strategy), int(next)) << "a strategy has no case";
    next = cpu_strategy(int(each.strategy) + 1);
    for (std::int64_t const off : {0, 16, 48}) {
      auto p = each.given;
      p.destination_offset = off / shared_element_size(p);
      auto const plan = plan_cpu(canonical(p), each.hint);
      ASSERT_EQ(plan.strategy, each.strategy) << describe(plan);
      for (auto const where : {test::guarded::beside::first, test::guarded::beside::last}) test::check_tiles(p, plan, 3, where);
    }
  }
  EXPECT_EQ(std::size_t(next), strategy_names().size()) << "a strategy has no case";
}

INSTANTIATE_TEST_SUITE_P(instructions, cpu_strategies, testing::ValuesIn(test::cpu_targets()), test::target_name);

}  // namespace
}  // namespace cornerturn
