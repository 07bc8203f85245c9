#include "problem/panels.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "problem/canonical.hpp"
#include "problem/permuted.hpp"

namespace cornerturn {
namespace {

using numbers = std::vector<std::int64_t>;

std::optional<panels> panels_in(numbers const& shape, numbers const& axes, std::int64_t size = 4) {
  return panels_of(canonical(permutation(shape, {}, axes, size)));
}

/// The members that shape and axes determine: rows, slots, columns, run, arrays of the batch.
numbers shape_in(numbers const& shape, numbers const& axes, std::int64_t size = 4) {
  auto const found = panels_in(shape, axes, size);
  return found ? numbers{found->rows, found->slots, found->columns, found->run, found->batch.count} : numbers{};
}

TEST(panels, are_rectangles_in_a_batch) {
  EXPECT_EQ(panels_in({5, 7}, {1, 0}), (panels{.rows = 5,
                                               .columns = 7,
                                               .source_pitch = 7,
                                               .destination_pitch = 5,
                                               .source_stride = 35,
                                               .destination_stride = 35,
                                               .element_size = 4}));
  EXPECT_EQ(shape_in({5, 7}, {1, 0}), (numbers{5, 1, 7, 1, 1}));
  EXPECT_EQ(shape_in({3, 5, 7}, {0, 2, 1}), (numbers{5, 1, 7, 1, 3}));
  EXPECT_EQ(shape_in({3, 5, 7, 2}, {0, 2, 1, 3}), (numbers{5, 1, 7, 2, 3}));
  EXPECT_EQ(shape_in({5, 7}, {1, 0}, 12), (numbers{5, 1, 7, 3, 1}));
  EXPECT_EQ(shape_in({2, 3, 5}, {2, 0, 1}), (numbers{6, 1, 5, 1, 1}));
}

TEST(panels, may_have_slots_between_the_two_modes) { EXPECT_EQ(shape_in({3, 5, 9, 7}, {0, 3, 2, 1}), (numbers{5, 9, 7, 1, 3})); }

TEST(panels, are_no_other_permutations) {
  EXPECT_FALSE(panels_in({5, 5}, {1, 0}));
  EXPECT_FALSE(panels_in({5, 3, 5}, {2, 1, 0}));
  EXPECT_FALSE(panels_in({5, 7}, {0, 1}));
  EXPECT_FALSE(panels_in({2, 3, 4, 5}, {3, 2, 1, 0}));
  EXPECT_FALSE(panels_in({2, 3, 4, 5}, {1, 0, 3, 2}));
}

/// The panels before one that are overwritten by it are among those that it waits for.
void expect_to_wait_for_those_overwritten(panels const& all) {
  auto const index_of = [&](std::int64_t at) { return all.is_descending() ? all.count - 1 - at : at; };
  auto const place = [&](std::int64_t at, std::int64_t stride, std::int64_t gap) {
    return index_of(at) * stride + index_of(at) / all.group * gap;
  };
  for (std::int64_t position = 0; position < all.count; ++position) {
    auto const begin = place(position, all.destination_stride, all.destination_gap), end = begin + all.destination_stride;
    for (std::int64_t other = 0; other < all.count; ++other) {
      auto const from = place(other, all.source_stride, all.source_gap);
      if (other == position || from + all.source_stride <= begin || from >= end) continue;
      EXPECT_LT(other, position);
      EXPECT_LE(position - other, all.read_before());
    }
  }
}

TEST(panels, wait_for_those_that_they_overwrite) {
  for (std::int64_t source = 20; source <= 60; source += 7)
    for (std::int64_t destination = 20; destination <= 60; destination += 3)
      expect_to_wait_for_those_overwritten({.count = 30, .source_stride = source, .destination_stride = destination});
}

TEST(panels, wait_for_those_that_they_overwrite_in_groups_with_gaps) {
  for (std::int64_t const group : {1, 2, 3, 10})
    for (std::int64_t gap = 1; gap <= 60; gap += 7)
      for (bool const is_source : {false, true}) {
        panels all{.count = 30, .source_stride = 20, .destination_stride = 20, .group = group};
        (is_source ? all.source_gap : all.destination_gap) = gap;
        EXPECT_TRUE(all.is_shifted());
        EXPECT_EQ(all.is_descending(), !is_source);
        expect_to_wait_for_those_overwritten(all);
      }
}

}  // namespace
}  // namespace cornerturn
