#include "cpu/shared_tiles.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace cornerturn {
namespace {

constexpr auto kGoesOn = [](std::int64_t) { return true; };

TEST(cpu_shared_tiles, are_each_moved_once_and_by_one_thread_if_no_other_comes) {
  for (std::int64_t const tiles : {0, 1, 7, 1000})
    for (int const shares : {1, 3, 16}) {
      std::vector<int> moved(std::size_t(tiles), 0);
      cpu::shared_tiles all(tiles, 64 << 20, shares);
      for (int const index : {shares - 1, 0})
        all.move_as(index, kGoesOn, [&](std::int64_t first, std::int64_t end, cpu::reporter const&) {
          for (auto each = first; each < end; ++each) ++moved.at(std::size_t(each));
        });
      EXPECT_EQ(std::ranges::count(moved, 1), tiles) << shares;
    }
}

TEST(cpu_shared_tiles, are_taken_from_the_own_share_first_in_pieces_of_a_megabyte) {
  cpu::shared_tiles all(100, 100 << 20, 4);
  std::vector<std::int64_t> firsts;
  all.move_as(2, kGoesOn, [&](std::int64_t first, std::int64_t end, cpu::reporter const&) {
    EXPECT_EQ(end, first + 1);
    firsts.push_back(first);
  });
  ASSERT_EQ(firsts.size(), 100u);
  EXPECT_EQ(firsts.front(), 50);
  EXPECT_EQ(firsts[25], 75);
  EXPECT_EQ(firsts[50], 0);
  EXPECT_EQ(firsts.back(), 49);
}

TEST(cpu_shared_tiles, of_the_next_piece_are_added_before_a_piece_ends_unless_another_thread_has_taken_them) {
  cpu::shared_tiles all(12, 6 << 20, 1);  // pieces of two tiles
  std::vector<std::int64_t> moved;
  all.move_rows_as(0, kGoesOn, [&](std::int64_t first, std::int64_t end, auto const& extend, cpu::reporter const&) {
    moved.push_back(first);
    if (first == 0) {
      EXPECT_EQ(extend(end), 4);
      all.move_rows_as(
          0, [](std::int64_t) { return false; }, [](auto, auto, auto const&, auto const& report) { report(1); });
      EXPECT_EQ(extend(4), 4) << "tiles 4 and 5 were taken";
      EXPECT_EQ(extend(4), 4) << "a piece that was taken is not lost";
    } else {
      EXPECT_EQ(end, first + 2);
      moved.push_back(first + 1);
    }
  });
  EXPECT_EQ(moved, (std::vector<std::int64_t>{0, 6, 7, 8, 9, 10, 11}));
}

TEST(cpu_shared_tiles, are_left_if_another_share_has_failed) {
  cpu::shared_tiles all(100, 100 << 20, 2);
  int pieces = 0;
  all.move_as(
      0, [](std::int64_t) { return false; },
      [&](std::int64_t, std::int64_t, cpu::reporter const& report) {
        ++pieces;
        report(1);
      });
  EXPECT_EQ(pieces, 1);
}

TEST(cpu_shared_tiles, have_no_bytes_if_the_result_is_empty) {
  cpu::shared_tiles(0, 0, 3).move_as(0, kGoesOn, [](std::int64_t, std::int64_t, cpu::reporter const&) { FAIL(); });
}

}  // namespace
}  // namespace cornerturn
