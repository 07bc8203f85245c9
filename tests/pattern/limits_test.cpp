#include "pattern/limits.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

namespace cornerturn {
namespace {

using indices = std::vector<std::int64_t>;

bool is_within(indices const& index, indices const& extents, std::vector<axis_limit> const& limits) {
  return std::ranges::all_of(limits, [&](axis_limit const& limit) {
    std::int64_t in_axis = 0;
    for (auto const mode : limit.modes) in_axis = in_axis * extents[mode] + index[mode];
    return in_axis < limit.extent;
  });
}

std::int64_t count_of(std::vector<index_box> const& boxes, indices const& index) {
  return std::ranges::count_if(boxes, [&](index_box const& box) {
    for (std::size_t i = 0; i < box.size(); ++i)
      if (index[i] < box[i].begin || index[i] >= box[i].end) return false;
    return true;
  });
}

TEST(pattern_limits, boxes_have_each_index_once) {
  std::mt19937 random(57);
  auto const draw = [&](int low, int high) { return std::uniform_int_distribution(low, high)(random); };
  int split = 0, padded = 0, cropped = 0;
  for (int round = 0; round < 300; ++round) {
    indices extents(std::size_t(draw(1, 4)));
    for (auto& extent : extents) extent = draw(1, 4);
    auto const random_limits = [&] {
      std::vector<std::size_t> modes(extents.size());
      for (std::size_t i = 0; i < modes.size(); ++i) modes[i] = i;
      std::ranges::shuffle(modes, random);
      std::vector<axis_limit> limits;
      for (auto begin = modes.begin(); begin != modes.end();) {
        auto const end = begin + draw(1, int(modes.end() - begin));
        std::int64_t whole = 1;
        for (auto mode = begin; mode != end; ++mode) whole *= extents[*mode];
        if (draw(0, 1)) limits.push_back({{begin, end}, draw(0, int(whole))});
        begin = end;
      }
      return limits;
    };
    auto const source = random_limits(), destination = random_limits();
    auto const boxes = boxes_within(extents, source, destination);
    split += boxes.copied.size() > 1, padded += !boxes.padded.empty();
    indices index(extents.size(), 0);
    for (bool is_done = false; !is_done;) {
      bool const is_written = is_within(index, extents, destination), is_read = is_within(index, extents, source);
      cropped += !is_written;
      ASSERT_EQ(count_of(boxes.copied, index), is_written && is_read);
      ASSERT_EQ(count_of(boxes.padded, index), is_written && !is_read);
      is_done = true;
      for (auto i = index.size(); i-- > 0 && is_done;) {
        is_done = ++index[i] == extents[i];
        if (is_done) index[i] = 0;
      }
    }
  }
  EXPECT_GT(split, 30);
  EXPECT_GT(padded, 100);
  EXPECT_GT(cropped, 100);
}

TEST(pattern_limits, an_axis_that_splits_do_not_cut_is_one_box) {
  std::vector<std::int64_t> const extents{4, 32, 8};
  std::vector<axis_limit> const limits{{{0, 1}, 96}};
  auto const boxes = boxes_within(extents, limits, {});
  EXPECT_EQ(boxes.copied, (std::vector<index_box>{{{0, 3}, {0, 32}, {0, 8}}}));
  EXPECT_EQ(boxes.padded, (std::vector<index_box>{{{3, 4}, {0, 32}, {0, 8}}}));
}

}  // namespace
}  // namespace cornerturn
