#include "problem/piece_extents.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <random>

#include "problem/canonical.hpp"
#include "problem/extents.hpp"
#include "problem/permuted.hpp"
#include "problem/print.hpp"
#include "support/seeds.hpp"

namespace cornerturn {
namespace {

using extents = std::vector<std::int64_t>;

/// Into how many runs boxes cut a dense array: its modes by rising stride lie side by side up to the first one that is cut.
std::int64_t runs_of(problem const& p, extents const& box, std::int64_t mode::*stride) {
  std::vector<std::size_t> order(box.size());
  std::iota(order.begin(), order.end(), std::size_t(0));
  std::ranges::sort(order, {}, [&](std::size_t i) { return p.modes[i].*stride; });
  std::int64_t runs = 1;
  bool cut = false;
  for (auto const i : order) {
    auto const extent = p.modes[i].extent;
    runs *= cut ? extent : (extent + box[i] - 1) / box[i];
    cut = cut || box[i] < extent;
  }
  return runs;
}

std::int64_t runs_of(problem const& p, extents const& box) {
  return runs_of(p, box, &mode::source_stride) + runs_of(p, box, &mode::destination_stride);
}

problem permuted(extents const& shape, extents const& axes) { return canonical(permutation(shape, {}, axes, 4)); }

problem random_permutation(unsigned seed, int rank, std::int64_t most) {
  std::mt19937 random(seed);
  extents shape, axes(std::size_t(rank), 0);
  for (int i = 0; i < rank; ++i) shape.push_back(1 + std::int64_t(random()) % most);
  std::iota(axes.begin(), axes.end(), 0);
  std::ranges::shuffle(axes, random);
  return permuted(shape, axes);
}

/// The fewest runs that any box of so many elements leaves.
std::int64_t fewest_runs(problem const& p, std::int64_t most) {
  auto fewest = std::numeric_limits<std::int64_t>::max();
  extents box(p.modes.size(), 1);
  auto const walk = [&](auto const& self, std::size_t i) -> void {
    if (i == box.size()) {
      fewest = std::min(fewest, runs_of(p, box));
      return;
    }
    for (box[i] = 1; box[i] <= p.modes[i].extent && product(box) <= most; ++box[i]) self(self, i + 1);
    box[i] = 1;
  };
  walk(walk, 0);
  return fewest;
}

TEST(piece_extents, keep_within_the_limit_in_every_rank) {
  test::for_each_seed(600, [](unsigned seed) {
    auto const p = random_permutation(seed, 1 + int(seed % 6), seed % 5 == 0 ? 1000 : 40);
    for (std::int64_t const most : {1, 2, 63, 100, 5000, 1'000'000}) {
      auto const box = piece_extents(p, most);
      ASSERT_EQ(box.size(), p.modes.size());
      ASSERT_LE(product(box), most) << to_string(p);
      for (std::size_t i = 0; i < box.size(); ++i) {
        ASSERT_GE(box[i], 1);
        ASSERT_LE(box[i], p.modes[i].extent);
      }
    }
  });
}

/// Up to half is lost where parts are made multiples of 64.
TEST(piece_extents, leave_few_runs_more_than_the_best_box) {
  test::for_each_seed(150, [](unsigned seed) {
    auto const p = random_permutation(seed, 1 + int(seed % 4), 18);
    for (std::int64_t const most : {1, 10, 60, 300, 2000})
      ASSERT_LE(double(runs_of(p, piece_extents(p, most))), 2 * double(fewest_runs(p, most))) << to_string(p) << " in " << most;
  });
}

TEST(piece_extents, balance_the_runs_of_a_matrix) {
  constexpr std::int64_t kSide = 1 << 18, kMost = 1 << 26;  // the root is 8192
  for (auto const& shape : {extents{kSide, kSide}, extents{kSide, 100'003}, extents{99'999, kSide}}) {
    auto const box = piece_extents(permuted(shape, {1, 0}), kMost);
    EXPECT_GE(box[0], 6500) << shape[0];
    EXPECT_GE(box[1], 6500) << shape[0];
  }
}

TEST(piece_extents, are_whole_where_a_mode_is_short) {
  constexpr std::int64_t kPixels = 1 << 30;
  for (auto const& axes : {extents{1, 0}, extents{0, 1}}) {
    auto const p = axes[0] == 1 ? permuted({kPixels, 3}, axes) : permuted({3, kPixels}, {1, 0});
    auto const box = piece_extents(p, 3 << 20);
    EXPECT_GE(product(box), 3'000'000);
    EXPECT_EQ(std::ranges::min(box), 3) << to_string(p);
  }
}

TEST(piece_extents, use_the_room_that_there_is) {
  test::for_each_seed(200, [](unsigned seed) {
    auto const p = random_permutation(seed, 1 + int(seed % 6), 60);
    extents whole;
    for (mode const& m : p.modes) whole.push_back(m.extent);
    EXPECT_EQ(piece_extents(p, product(whole)), whole);
    auto const most = std::max<std::int64_t>(product(whole) / 3, 1);
    EXPECT_GE(product(piece_extents(p, most)), most / 4) << to_string(p) << " in " << most;
  });
}

TEST(smallest_piece, has_runs_of_the_length_wished) {
  EXPECT_EQ(smallest_piece(permuted({1 << 16, 1 << 16}, {1, 0}), 512), 512 * 512);
  EXPECT_EQ(smallest_piece(permuted({1 << 16, 3}, {1, 0}), 300), 256 * 3);
  EXPECT_EQ(smallest_piece(permuted({10, 20}, {1, 0}), 512), 200) << "the whole array";
  EXPECT_EQ(smallest_piece(permuted({1 << 16}, {0}), 512), 512);
  EXPECT_EQ(smallest_piece(permuted({}, {}), 512), 1);
}

}  // namespace
}  // namespace cornerturn
