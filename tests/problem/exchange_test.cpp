#include "problem/exchange.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "problem/canonical.hpp"
#include "problem/permuted.hpp"

namespace cornerturn {
namespace {

using numbers = std::vector<std::int64_t>;

std::optional<placed_exchange> exchange_in(numbers const& shape, numbers const& axes, std::int64_t size = 4) {
  return exchange_of(canonical(permutation(shape, {}, axes, size)));
}

TEST(exchange, is_two_groups_of_modes_in_a_batch) {
  EXPECT_EQ(exchange_in({5, 7}, {1, 0}), placed_exchange({.rows = 5, .columns = 7}, 4));
  EXPECT_EQ(exchange_in({5, 5}, {1, 0}), placed_exchange({.rows = 5, .columns = 5}, 4));
  EXPECT_EQ(exchange_in({3, 5, 7}, {0, 2, 1}), placed_exchange({.batch = 3, .rows = 5, .columns = 7}, 4));
  EXPECT_EQ(exchange_in({3, 5, 7, 2}, {0, 2, 1, 3}), placed_exchange({.batch = 3, .rows = 5, .columns = 7, .run = 2}, 4));
  EXPECT_EQ(exchange_in({7, 5, 2, 5, 3}, {0, 3, 2, 1, 4}), placed_exchange({7, 5, 2, 5, 3}, 4));
  EXPECT_EQ(exchange_in({3, 5, 9, 7}, {0, 3, 2, 1}), placed_exchange({3, 5, 9, 7, 1}, 4));
}

TEST(exchange, has_runs_of_what_elements_are_split_into) {
  EXPECT_EQ(exchange_in({5, 7}, {1, 0}, 12), placed_exchange({.rows = 5, .columns = 7, .run = 3}, 4));
}

TEST(exchange, may_have_several_modes_a_group) {
  EXPECT_EQ(exchange_in({2, 3, 5}, {2, 0, 1}), placed_exchange({.rows = 6, .columns = 5}, 4));
  EXPECT_EQ(exchange_in({2, 3, 2, 3}, {2, 3, 0, 1}), placed_exchange({.rows = 6, .columns = 6}, 4));
}

TEST(exchange, is_no_other_permutation) {
  EXPECT_FALSE(exchange_in({5, 7}, {0, 1}));
  EXPECT_FALSE(exchange_in({2, 3, 4, 5}, {3, 2, 1, 0}));
  EXPECT_FALSE(exchange_in({2, 3, 4, 5}, {1, 0, 3, 2}));
  EXPECT_FALSE(exchange_in({2, 2, 3, 3}, {1, 0, 3, 2}));
  auto shifted = canonical(permutation({{5, 7}}, {}, {{1, 0}}, 4));
  EXPECT_TRUE(exchange_of(shifted));
  shifted.destination_offset = 1;
  EXPECT_FALSE(exchange_of(shifted));
}

/// The example of `placed_exchange`.
TEST(exchange, has_places_with_a_gap_after_each_row) {
  placed_exchange panels({.rows = 3, .between = 2, .columns = 2}, 4);
  panels.panels = 2, panels.array_stride = 35;
  panels.source = {4, 1}, panels.destination = {6, 1};
  problem const expected{.modes = {{1, 35, 35}, {2, 15, 14}, {2, 1, 7}, {2, 2, 3}, {3, 5, 1}, {1, 1, 1}}, .element_size = 4};
  EXPECT_EQ(problem_of(panels), expected);
  EXPECT_FALSE(panels.is_descending());
}

/// A panel waits for every earlier panel that it overwrites.
void expect_to_wait_for_those_overwritten(placed_exchange const& all) {
  auto const from = all.source_strides(), to = all.destination_strides();
  auto const index_of = [&](std::int64_t at) { return all.is_descending() ? all.panels - 1 - at : at; };
  auto const place = [&](std::int64_t at, panel_strides const& side) {
    return index_of(at) * side.stride + index_of(at) / all.panel_group() * side.gap;
  };
  for (std::int64_t position = 0; position < all.panels; ++position) {
    auto const begin = place(position, to), end = begin + to.stride;
    for (std::int64_t other = 0; other < all.panels; ++other) {
      auto const source = place(other, from);
      if (other == position || source + from.stride <= begin || source >= end) continue;
      EXPECT_LT(other, position);
      EXPECT_LE(position - other, all.read_before());
    }
  }
}

/// 30 panels of 20 elements.
placed_exchange thirty_panels(run_gaps const& source, run_gaps const& destination) {
  placed_exchange result({.rows = 2, .columns = 10}, 1);
  result.panels = 30, result.source = source, result.destination = destination;
  return result;
}

TEST(exchange, has_panels_that_wait_for_those_that_they_overwrite) {
  for (std::int64_t source = 0; source <= 20; source += 3)
    for (std::int64_t destination = 0; destination <= 4; ++destination) {
      auto const all = thirty_panels({10, source}, {2, destination});
      EXPECT_EQ(all.source_strides().stride, 20 + 2 * source);
      EXPECT_EQ(all.destination_strides().stride, 20 + 10 * destination);
      expect_to_wait_for_those_overwritten(all);
    }
}

TEST(exchange, has_panels_that_wait_for_those_that_they_overwrite_in_groups_with_gaps) {
  for (std::int64_t const group : {1, 2, 3, 10})
    for (std::int64_t gap = 1; gap <= 60; gap += 7)
      for (bool const is_source : {false, true}) {
        run_gaps const gaps{group * 20, gap};
        auto const all = is_source ? thirty_panels(gaps, {}) : thirty_panels({}, gaps);
        EXPECT_EQ(all.panel_group(), group);
        EXPECT_TRUE(all.is_shifted());
        EXPECT_EQ(all.is_descending(), !is_source);
        expect_to_wait_for_those_overwritten(all);
      }
}

}  // namespace
}  // namespace cornerturn
