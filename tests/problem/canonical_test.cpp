#include "problem/canonical.hpp"

#include <gtest/gtest.h>

#include <random>
#include <utility>

#include "problem/print.hpp"
#include "problem/validate.hpp"
#include "support/random_problem.hpp"
#include "support/seeds.hpp"

namespace cornerturn {
namespace {

constexpr unsigned kSeeds = 4000;

/// Every byte that a problem moves, as (destination byte, source byte), sorted.
std::vector<std::pair<std::int64_t, std::int64_t>> map_of(problem const& p) {
  std::vector<std::pair<std::int64_t, std::int64_t>> elements{{p.destination_offset, p.source_offset}};
  for (mode const& m : p.modes) {
    decltype(elements) longer;
    for (auto [destination, source] : elements) {
      for (std::int64_t i = 0; i < m.extent; ++i) {
        longer.emplace_back(destination + i * m.destination_stride, source + i * m.source_stride);
      }
    }
    elements = std::move(longer);
  }
  std::vector<std::pair<std::int64_t, std::int64_t>> bytes;
  for (auto [destination, source] : elements) {
    for (std::int64_t b = 0, size = shared_element_size(p); b < size; ++b) {
      bytes.emplace_back(destination * size + b, source * size + b);
    }
  }
  std::ranges::sort(bytes);
  return bytes;
}

TEST(canonical, keeps_the_map) {
  test::for_each_seed(kSeeds, [](unsigned seed) {
    problem const p = test::random_problem(seed);
    ASSERT_NO_THROW(validate(p)) << to_string(p);
    ASSERT_EQ(map_of(canonical(p)), map_of(p)) << to_string(p);
  });
}

TEST(canonical, is_idempotent) {
  test::for_each_seed(kSeeds, [](unsigned seed) {
    problem const p = test::random_problem(seed);
    problem const once = canonical(p);
    ASSERT_EQ(canonical(once), once) << to_string(p);
  });
}

TEST(canonical, does_not_depend_on_the_order_of_modes) {
  test::for_each_seed(kSeeds, [](unsigned seed) {
    problem p = test::random_problem(seed);
    problem const expected = canonical(p);
    std::mt19937 generator(seed);
    std::ranges::shuffle(p.modes, generator);
    ASSERT_EQ(canonical(p), expected) << to_string(p);
  });
}

TEST(canonical, does_not_depend_on_the_order_of_modes_that_write_the_same_places) {
  problem const p{.modes = {{2, 6, 6}, {5, 6, 6}, {3, 2, 2}}};
  problem const q{.modes = {{5, 6, 6}, {3, 2, 2}, {2, 6, 6}}};
  EXPECT_EQ(canonical(p), canonical(q));
}

TEST(canonical, is_idempotent_for_modes_that_write_the_same_places) {
  problem const once = canonical({.modes = {{3, 2, 2}, {4, 2, 2}, {5, 6, 6}}});
  EXPECT_EQ(canonical(once), once) << to_string(once);
}

TEST(canonical, leaves_nothing_to_do) {
  test::for_each_seed(kSeeds, [](unsigned seed) {
    problem const p = test::random_problem(seed);
    problem const c = canonical(p);
    ASSERT_TRUE(shared_element_size(c) <= 16 && 16 % shared_element_size(c) == 0) << to_string(p);
    if (map_of(p).empty()) {
      ASSERT_EQ(c.modes, std::vector<mode>({{0, 0, 0}})) << to_string(p);
      ASSERT_EQ(std::pair(c.source_offset, c.destination_offset), std::pair(std::int64_t{0}, std::int64_t{0})) << to_string(p);
      return;
    }
    for (std::size_t i = 0; i < c.modes.size(); ++i) {
      mode const& outer = c.modes[i];
      ASSERT_GT(outer.extent, 1) << to_string(p);
      ASSERT_GT(outer.destination_stride, 0) << to_string(p);
      if (i > 0) {
        mode const& before = c.modes[i - 1];
        ASSERT_GE(std::pair(before.destination_stride, before.source_stride),
                  std::pair(outer.destination_stride, outer.source_stride))
            << to_string(p);
      }
      for (std::size_t k = 0; k < c.modes.size(); ++k) {
        mode const& inner = c.modes[k];
        ASSERT_FALSE(i != k && outer.source_stride == inner.source_stride * inner.extent &&
                     outer.destination_stride == inner.destination_stride * inner.extent)
            << to_string(p);
      }
    }
  });
}

TEST(canonical, fuses_a_copy_into_one_mode) {
  problem const p{.modes = {{3, 20, 20}, {4, 5, 5}, {5, 1, 1}}, .element_size = 4};
  EXPECT_EQ(canonical(p), (problem{.modes = {{60, 1, 1}}, .element_size = 4}));
}

TEST(canonical, turns_a_copy_that_runs_backwards_on_both_sides) {
  problem const p{.modes = {{10, -1, -1}}, .element_size = 4, .source_offset = 9, .destination_offset = 9};
  EXPECT_EQ(canonical(p), (problem{.modes = {{10, 1, 1}}, .element_size = 4}));
}

TEST(canonical, keeps_a_flip) {
  problem const p{.modes = {{10, 1, -1}}, .element_size = 4, .source_offset = 0, .destination_offset = 9};
  EXPECT_EQ(canonical(p), (problem{.modes = {{10, -1, 1}}, .element_size = 4, .source_offset = 9}));
}

TEST(canonical, folds_nhwc_to_nchw_into_a_batched_transpose) {
  problem const p{.modes = {{8, 600 * 512 * 3, 600 * 512 * 3}, {3, 1, 600 * 512}, {600, 512 * 3, 512}, {512, 3, 1}}};
  EXPECT_EQ(canonical(p), (problem{.modes = {{8, 921600, 921600}, {3, 1, 307200}, {307200, 3, 1}}}));
}

TEST(canonical, has_one_form_for_nothing) {
  problem const p{.modes = {{3, 7, 1}, {0, 1, 3}}, .element_size = 12, .source_offset = 5, .destination_offset = -2};
  EXPECT_EQ(canonical(p), (problem{.modes = {{0, 0, 0}}, .element_size = 4}));
}

TEST(canonical, has_no_modes_for_one_element) {
  problem const p{.modes = {{1, 7, 0}, {1, -3, 9}}, .element_size = 8, .source_offset = 5};
  EXPECT_EQ(canonical(p), (problem{.modes = {}, .element_size = 8, .source_offset = 5}));
}

TEST(split_elements, takes_the_largest_unit_that_divides) {
  std::pair<std::int64_t, std::int64_t> const cases[] = {{1, 1}, {2, 2},  {3, 1},   {4, 4},  {6, 2},   {7, 1},
                                                         {8, 8}, {12, 4}, {16, 16}, {24, 8}, {48, 16}, {100, 4}};
  for (auto [size, unit] : cases) {
    problem const p = split_elements({.modes = {{5, 2, 1}}, .element_size = size, .source_offset = 3});
    EXPECT_EQ(shared_element_size(p), unit) << size;
    EXPECT_EQ(p.source_offset, 3 * (size / unit)) << size;
    EXPECT_EQ(p.modes.size(), size == unit ? 1u : 2u) << size;
    EXPECT_EQ(p.modes[0].source_stride, 2 * (size / unit)) << size;
  }
}

TEST(to_string, names_every_number) {
  EXPECT_EQ(to_string({.modes = {{3, -1, 4}, {4, -3, 1}}, .element_size = 4}), "{3:4<--1, 4:1<--3} of 4 bytes");
  EXPECT_EQ(to_string({.modes = {}, .element_size = 1, .source_offset = -7, .destination_offset = 2}), "{} of 1 byte at 2<--7");
}

}  // namespace
}  // namespace cornerturn
