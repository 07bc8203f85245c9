#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "cornerturn/distributed.hpp"
#include "support/message.hpp"
#include "support/slowed.hpp"

namespace cornerturn::distributed {
namespace {

using test::message_of;

/// A matrix of 6 x 4 elements of 8 bytes whose rows are divided, to its transpose whose rows are divided.
description split_transpose(std::int64_t ranks) {
  return {.shape = {6, 4},
          .axes = {1, 0},
          .source = {.grid = {ranks}, .modes = {0}},
          .destination = {.grid = {ranks}, .modes = {0}},
          .element = 8};
}

TEST(rank_plan, has_the_box_for_each_peer_the_nearest_first) {
  rank_plan const plan(split_transpose(2), 1);
  EXPECT_EQ(plan.source_block().begin, (std::vector<std::int64_t>{3, 0}));
  EXPECT_EQ(plan.source_block().extents, (std::vector<std::int64_t>{3, 4}));
  EXPECT_EQ(plan.destination_shape(), (std::vector<std::int64_t>{2, 6}));
  ASSERT_EQ(plan.sends().size(), 1);
  EXPECT_EQ(plan.sends()[0].peer, 0);
  EXPECT_EQ(plan.sends()[0].indices.begin, (std::vector<std::int64_t>{3, 0}));
  EXPECT_EQ(plan.sends()[0].indices.extents, (std::vector<std::int64_t>{3, 2}));
  EXPECT_EQ(plan.sends()[0].bytes, 48);
  EXPECT_EQ(plan.bytes_kept(), 48);
  rank_plan const of_three(split_transpose(3), 1);
  EXPECT_EQ(of_three.sends()[0].peer, 0);  // rank 2 has no row of the result
  EXPECT_EQ(of_three.receives()[0].peer, 0);
  EXPECT_EQ(of_three.receives()[1].peer, 2);
}

TEST(rank_plan, copies_only_what_is_not_contiguous) {
  // Rows become blocks of other rows: both sides have each box contiguously.
  description rows{
      .shape = {12, 4}, .axes = {0, 1}, .source = {{2}, {0}}, .destination = {{2}, {0}, {{3, 9}, {}}}, .element = 4};
  rank_plan const sender(rows, 0), receiver(rows, 1);
  EXPECT_TRUE(sender.sends()[0].is_direct);
  EXPECT_EQ(sender.sends()[0].offset, 3 * 4 * 4);
  EXPECT_TRUE(receiver.receives()[0].is_direct);
  EXPECT_EQ(sender.workspace_bytes() + receiver.workspace_bytes(), 0);
  // The receiver gets whole columns of its source, which are rows of its block, so the sender packs and nobody unpacks.
  description gathered = split_transpose(2);
  gathered.source.modes = {1};
  gathered.destination.blocks = {{1, 3}, {}};
  rank_plan const packs(gathered, 0), gets(gathered, 1);
  EXPECT_FALSE(packs.sends()[0].is_direct);
  EXPECT_TRUE(gets.receives()[0].is_direct);
  // The sender has whole rows of its source, whose receiver has them as columns.
  description spread = split_transpose(2);
  spread.destination.modes = {1};
  spread.source.blocks = {{2, 4}, {}};
  EXPECT_TRUE(rank_plan(spread, 1).sends()[0].is_direct);
  EXPECT_FALSE(rank_plan(spread, 0).receives()[0].is_direct);
}

TEST(rank_plan, reads_from_itself_what_it_has_and_from_other_replicas_evenly) {
  description all = split_transpose(4);
  all.source = {{2, 2}, {kReplicated, 0}};
  all.destination = {{4}, {1}};
  for (int rank = 0; rank < 4; ++rank) EXPECT_LE(rank_plan(all, rank).sends().size(), 1) << rank;
  all.source = {{4}, {kReplicated}};
  EXPECT_EQ(total(all).bytes_on_the_wire, 0);
}

TEST(rank_plan, adds_up_hundreds_of_ranks_without_running) {
  std::int64_t const ranks = test::is_slowed() ? 128 : 512, rows = 4096 / ranks;
  auto const sum = total({.shape = {4096, 4096, 64},
                          .axes = {1, 0, 2},
                          .source = {{ranks}, {0}},
                          .destination = {{ranks}, {0}},
                          .element = 4});
  EXPECT_EQ(sum.messages, ranks * (ranks - 1));
  EXPECT_EQ(sum.bytes_on_the_wire, std::int64_t(4096) * 4096 * 64 * 4 / ranks * (ranks - 1));
  EXPECT_EQ(sum.smallest_message, rows * rows * 64 * 4);
  EXPECT_EQ(sum.largest_message, sum.smallest_message);
  EXPECT_EQ(sum.most_messages, ranks - 1);
  auto const empty = total({.shape = {10}, .axes = {0}, .source = {{8}, {0}}, .destination = {{8}, {0}}, .element = 1});
  EXPECT_EQ(empty.empty_source_blocks, 3);  // blocks of 2, as PyTorch divides
  EXPECT_EQ(empty.messages, 0);
}

TEST(rank_plan, says_what_is_wrong) {
  auto const said = [](auto change, int rank = 0) {
    auto given = split_transpose(2);
    change(given);
    return message_of([&] { rank_plan(given, rank); });
  };
  auto const nothing = [](description&) {};
  EXPECT_EQ(said(nothing), "");
  EXPECT_EQ(said(nothing, 2), "rank is 2; it must be 0 to 1, as the grid has 2 ranks");
  EXPECT_EQ(said([](auto& d) { d.axes = {0, 0}; }), "axes is (0, 0); it must be a permutation of 0 to 1 for an array of rank 2");
  EXPECT_EQ(said([](auto& d) { d.source.grid = {0}; }), "source.grid is (0); it must be extents of 1 or more");
  EXPECT_EQ(said([](auto& d) {
              d.source.grid = {1 << 20, 2};
            }),
            "source.grid is (1048576, 2); it must be a grid of at most 2^20 ranks");
  EXPECT_EQ(said([](auto& d) { d.source.modes = {}; }), "source.modes is (); it must be 1 number, one for each mode of the grid");
  EXPECT_EQ(said([](auto& d) { d.destination.modes = {2}; }),
            "destination.modes is (2); it must be modes of the array, 0 to 1, or -1 (replicated)");
  EXPECT_EQ(said([](auto& d) { d.destination.grid = {3}; }),
            "the number of ranks of destination.grid is 3; it must be 2, as that of the source");
  EXPECT_EQ(said([](auto& d) {
              d.source.blocks = {{3, 3}};
            }),
            "the size of source.blocks is 1; it must be 0 or 2, one list for each mode of the array");
  EXPECT_EQ(said([](auto& d) {
              d.source.blocks = {{2, 3}, {}};
            }),
            "source.blocks[0] is (2, 3); it must be extents of 0 or more whose sum is 6");
  EXPECT_EQ(said([](auto& d) {
              d.source.blocks = {{7, -1}, {}};
            }),
            "source.blocks[0] is (7, -1); it must be extents of 0 or more whose sum is 6");
  EXPECT_EQ(said([](auto& d) {
              d.source.blocks = {{}, {2, 2}};
            }),
            "source.blocks[1] is (2, 2); it must be 1 extent, one for each block along the mode");
  EXPECT_EQ(said([](auto& d) { d.source.blocks = {std::vector<std::int64_t>(300, 7), {}}; }),
            "source.blocks[0] is (7, 7, 7, 7, 7, 7, ..., 7, 7), of 300 numbers; it must be 2 extents, one for each block along the mode");
  EXPECT_EQ(said([](auto& d) { d.shape = {-1, 4}; }), "extent of axis 0 is -1; it must be 0 or more");
  EXPECT_EQ(said([](auto& d) { d.element = 0; }), "element_size is 0; it must be 1 or more");
}

/// The batch of each message, by sender, receiver and first index, as the sender or the receiver has it.
std::map<std::tuple<int, int, std::vector<std::int64_t>>, std::size_t> batch_numbers(description const& given, int ranks,
                                                                                     bool of_senders) {
  std::map<std::tuple<int, int, std::vector<std::int64_t>>, std::size_t> result;
  for (int rank = 0; rank < ranks; ++rank) {
    auto const plan = rank_plan(given, rank).in_batches();
    auto const messages = of_senders ? plan.sends() : plan.receives();
    std::size_t next = 0;
    for (std::size_t number = 0; number < plan.batches().size(); ++number) {
      auto const& each = plan.batches()[number];
      EXPECT_EQ(of_senders ? each.first_send : each.first_receive, next);
      for (auto const end = of_senders ? each.end_send : each.end_receive; next < end; ++next) {
        auto const& [peer, indices, bytes, is_direct, offset] = messages[next];
        result.insert({{of_senders ? rank : peer, of_senders ? peer : rank, indices.begin}, number});
      }
    }
    EXPECT_EQ(next, messages.size());
  }
  return result;
}

/// A matrix of f32 with `rows` rows and 32768 columns per rank, whose rows are divided, to its transpose whose rows are divided.
description wide_transpose(int ranks, std::int64_t rows) {
  return {{rows * ranks, 32768}, {1, 0}, {{ranks}, {0}}, {{ranks}, {0}}, 4};
}

TEST(rank_plan, has_each_message_in_one_batch_that_both_ranks_agree_about) {
  for (int ranks = 1; ranks < 12; ++ranks)
    for (std::int64_t const rows : {12, 2048, 32768}) {
      SCOPED_TRACE(ranks);
      auto const given = wide_transpose(ranks, rows);
      auto const numbers = batch_numbers(given, ranks, true);
      EXPECT_EQ(numbers, batch_numbers(given, ranks, false));
      EXPECT_GE(numbers.size(), std::size_t(ranks * (ranks - 1)));
      EXPECT_EQ(rank_plan(given, 0).batches().size(), 1u);
      EXPECT_EQ(rank_plan(given, 0).in_batches().workspace_bytes(), rank_plan(given, 0).workspace_bytes());
    }
}

TEST(rank_plan, divides_large_messages_of_few_ranks) {
  auto const pieces_of = [](int ranks, std::int64_t rows) {
    auto const plan = rank_plan(wide_transpose(ranks, rows), 0).in_batches();
    for (auto const& each : plan.sends()) EXPECT_GE(each.bytes, ranks == 2 && rows > 2048 ? 128 << 20 : 1);
    return std::pair(plan.batches().size(), plan.sends().size());
  };
  using counts = std::pair<std::size_t, std::size_t>;
  EXPECT_EQ(pieces_of(2, 2048), counts(1, 1));      // 128 MiB
  EXPECT_EQ(pieces_of(2, 4096), counts(2, 2));      // 256 MiB
  EXPECT_EQ(pieces_of(2, 16384), counts(4, 4));     // 1 GiB
  EXPECT_EQ(pieces_of(2, 65536), counts(8, 8));     // 4 GiB
  EXPECT_EQ(pieces_of(4, 32768), counts(6, 18));    // 3 messages of 1 GiB
  EXPECT_EQ(pieces_of(64, 32768), counts(7, 63));   // messages of 64 MiB, by their distances
  EXPECT_EQ(pieces_of(512, 8192), counts(3, 511));  // messages of 2 MiB
}

}  // namespace
}  // namespace cornerturn::distributed
