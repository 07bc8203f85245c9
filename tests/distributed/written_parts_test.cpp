#include "distributed/written_parts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

#include "support/plain.hpp"
#include "support/random_description.hpp"
#include "support/sharded.hpp"

namespace cornerturn::distributed {
namespace {

/// A matrix whose rows are divided, to its transpose whose rows are divided.
description corner_turn(std::int64_t rows, std::int64_t columns, std::int64_t ranks) {
  return {{rows, columns}, {1, 0}, {{ranks}, {0}}, {{ranks}, {0}}, 4};
}

TEST(written_parts, move_every_element_once) {
  auto const given = corner_turn(700, 530, 3);
  auto const all = checked(given);
  std::vector<std::vector<std::byte>> destinations;
  for (int rank = 0; rank < 3; ++rank)
    destinations.emplace_back(test::destination_of(given).block_of(rank, 4, given.shape).size());
  for (int rank = 0; rank < 3; ++rank) {
    auto const of = moves_of(all, rank);
    auto const source = test::source_of(given).block_of(rank, 4, given.shape);
    auto const parts = written_parts(of, 32 << 10);
    EXPECT_GE(parts.size(), 8u);
    std::int64_t moved = 0;
    for (auto const& [copy, send, staged] : parts) {
      moved += bytes_of(copy);
      auto const peer = send == written_part::kKept ? rank : of.sends.all[send].peer;
      test::permute_plainly(copy, source.data(), destinations[std::size_t(peer)].data());
    }
    EXPECT_EQ(moved, of.source_bytes);
  }
  for (int rank = 0; rank < 3; ++rank)
    EXPECT_EQ(destinations[std::size_t(rank)], test::destination_of(given).block_of(rank, 4, given.shape)) << rank;
}

TEST(written_parts, go_through_a_buffer_if_the_peer_has_them_in_long_rows) {
  auto const given = corner_turn(3000, 2200, 2);
  auto const all = checked(given);
  auto const source = test::source_of(given).block_of(0, 4, given.shape);
  std::vector<std::byte> direct(test::destination_of(given).block_of(1, 4, given.shape).size()), staged = direct;
  for (auto const& [copy, send, way] : written_parts(moves_of(all, 0), 1 << 20)) {
    if (send == written_part::kKept) continue;
    test::permute_plainly(copy, source.data(), direct.data());
    ASSERT_TRUE(way);
    auto const& rows = way->rows;
    EXPECT_EQ(rows.bytes, 1500 * 4);
    EXPECT_EQ(rows.pitch, 3000 * 4);
    std::vector<std::byte> buffer(std::size_t(rows.bytes * rows.count));
    test::permute_plainly(way->pack, source.data(), buffer.data());
    for (std::int64_t i = 0; i < rows.count; ++i)
      std::copy_n(buffer.begin() + i * rows.bytes, rows.bytes, staged.begin() + rows.offset + i * rows.pitch);
  }
  EXPECT_TRUE(direct == staged);
  EXPECT_GT(std::ranges::count(direct, std::byte(0)), 0);  // what rank 1 writes
  EXPECT_LT(std::ranges::count(direct, std::byte(0)), std::ssize(direct) * 3 / 4);
  EXPECT_FALSE(written_parts(moves_of(checked(corner_turn(1000, 2000, 2)), 0), 1 << 20).front().staged);
}

TEST(written_parts, change_elements_on_the_way_to_the_buffer) {
  auto given = corner_turn(3000, 2200, 2);
  given.element = element_operation{element_type::i32, element_type::i64, 3};
  auto const source = test::source_of(given).block_of(0, 4, given.shape);
  std::vector<std::byte> direct(test::destination_of(given).block_of(1, 8, given.shape).size()), staged = direct;
  for (auto const& [copy, send, way] : written_parts(moves_of(checked(given), 0), 2 << 20)) {
    if (send == written_part::kKept) continue;
    test::permute_plainly(copy, source.data(), direct.data());
    ASSERT_TRUE(way);
    auto const& rows = way->rows;
    std::vector<std::byte> buffer(std::size_t(rows.bytes * rows.count));
    test::permute_plainly(way->pack, source.data(), buffer.data());
    for (std::int64_t i = 0; i < rows.count; ++i)
      std::copy_n(buffer.begin() + i * rows.bytes, rows.bytes, staged.begin() + rows.offset + i * rows.pitch);
  }
  EXPECT_EQ(staged, direct);
  given.element = element_operation{element_type::i32, element_type::i64, 3, 1};  // beta: the peer's elements are read
  for (auto const& each : written_parts(moves_of(checked(given), 0), 2 << 20)) EXPECT_FALSE(each.staged);
}

TEST(written_parts, begin_with_a_message_and_alternate) {
  auto const parts = written_parts(moves_of(checked(corner_turn(8192, 8192, 2)), 0), 16 << 20);
  ASSERT_EQ(parts.size(), 8u);
  for (std::size_t i = 0; i < parts.size(); ++i) EXPECT_EQ(parts[i].send, i % 2 ? written_part::kKept : 0) << i;
  for (auto const& each : parts) EXPECT_EQ(each.copy.modes.front().extent % 64, 0);
}

TEST(written_parts, move_random_arrays_in_parts_of_few_bytes) {
  std::int64_t parts = 0;
  for (unsigned seed = 0; seed < 300 && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    auto const given = test::random_description(seed);
    auto const all = checked(given);
    int const ranks = test::ranks_of(given);
    std::vector<std::vector<std::byte>> wanted, written;
    for (int rank = 0; rank < ranks; ++rank) {
      wanted.push_back(test::destination_of(given).block_of(rank, given.element.bytes(), given.shape));
      written.emplace_back(wanted.back().size());
    }
    for (int rank = 0; rank < ranks; ++rank) {
      auto const of = moves_of(all, rank);
      auto const source = test::source_of(given).block_of(rank, given.element.bytes(), given.shape);
      for (auto const& each : written_parts(of, 16)) {
        auto const peer = each.send == written_part::kKept ? rank : of.sends.all[each.send].peer;
        test::permute_plainly(each.copy, source.data(), written[std::size_t(peer)].data());
        ++parts;
      }
    }
    EXPECT_EQ(written, wanted);
  }
  EXPECT_GT(parts, 2000);
}

TEST(written_parts, are_messages_before_what_stays_if_nothing_is_divided) {
  auto const parts = written_parts(moves_of(checked(corner_turn(100, 100, 3)), 1), std::numeric_limits<std::int64_t>::max());
  ASSERT_EQ(parts.size(), 3u);
  EXPECT_EQ(parts[0].send, 0u);
  EXPECT_EQ(parts[1].send, 1u);
  EXPECT_EQ(parts[2].send, written_part::kKept);
}

}  // namespace
}  // namespace cornerturn::distributed
