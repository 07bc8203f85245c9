#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <deque>
#include <map>
#include <utility>

#include "cornerturn/distributed.hpp"
#include "distributed/rank_moves.hpp"
#include "support/plain.hpp"
#include "support/random_description.hpp"
#include "support/sharded.hpp"
#include "support/slowed.hpp"

namespace cornerturn::distributed {
namespace {

using test::destination_of;
using test::source_of;
using list = std::vector<std::int64_t>;

std::string list_text(list const& numbers) {
  std::string result = "(";
  for (auto const each : numbers) result += std::to_string(each) + " ";
  return result + ")";
}

std::string list_text(description const& given) {
  std::string result = "shape " + list_text(given.shape) + " axes " + list_text(given.axes);
  for (auto const* side : {&given.source, &given.destination}) {
    result += " grid " + list_text(side->grid) + " modes " + list_text(side->modes);
    for (auto const& each : side->blocks) result += " blocks " + list_text(each);
  }
  return result;
}

std::byte* at(std::vector<std::byte>& memory, std::int64_t offset) { return memory.data() + offset; }

/// Moves an array with all ranks in this process, one after another. Each message of a sender must be one that its receiver
/// expects. Compares each block with the reference, and the totals with sums over the ranks.
void expect_moved(description const& given) {
  SCOPED_TRACE(list_text(given));
  int const ranks = test::ranks_of(given);
  std::map<std::pair<int, int>, std::pair<message, std::vector<std::byte>>> wire;
  std::vector<rank_plan> plans;
  std::vector<std::vector<std::byte>> sources;
  totals expected{.ranks = ranks};
  for (int rank = 0; rank < ranks; ++rank) {
    auto const& plan = plans.emplace_back(given, rank);
    auto& source = sources.emplace_back(source_of(given).block_of(rank, given.element.bytes(), given.shape));
    std::vector<std::byte> buffer(std::size_t(plan.send_bytes()));
    std::int64_t sent = 0;
    for (std::size_t i = 0; i < plan.sends().size(); ++i) {
      auto const& each = plan.sends()[i];
      ASSERT_NE(each.peer, rank);
      plan.pack(i, source.data(), buffer.data());
      auto* const begin = at(each.is_direct ? source : buffer, each.offset);
      ASSERT_TRUE(wire.insert({{rank, each.peer}, {each, {begin, begin + each.bytes}}}).second);
      sent += each.bytes;
    }
    expected.messages += std::int64_t(plan.sends().size());
    expected.bytes_on_the_wire += sent;
    expected.most_bytes_sent = std::max(expected.most_bytes_sent, sent);
    expected.bytes_kept += plan.bytes_kept();
    expected.most_workspace = std::max(expected.most_workspace, plan.workspace_bytes());
  }
  for (int rank = 0; rank < ranks; ++rank) {
    auto const& plan = plans[rank];
    auto const reference = destination_of(given).block_of(rank, given.element.bytes(), given.shape);
    std::vector<std::byte> destination(reference.size()), buffer(std::size_t(plan.receive_bytes()));
    std::int64_t written = plan.bytes_kept();
    for (std::size_t i = 0; i < plan.receives().size(); ++i) {
      auto const& each = plan.receives()[i];
      auto const found = wire.find({each.peer, rank});
      ASSERT_NE(found, wire.end()) << each.peer << " sends nothing to " << rank;
      auto const& [sent, bytes] = found->second;
      ASSERT_EQ(sent.bytes, each.bytes);
      ASSERT_EQ(sent.indices.begin, each.indices.begin);
      ASSERT_EQ(sent.indices.extents, each.indices.extents);
      std::memcpy(at(each.is_direct ? destination : buffer, each.offset), bytes.data(), bytes.size());
      wire.erase(found);
      plan.unpack(i, buffer.data(), destination.data());
      written += each.bytes;
    }
    plan.keep(sources[rank].data(), destination.data());
    ASSERT_EQ(written, std::int64_t(reference.size()));
    ASSERT_EQ(destination, reference) << "rank " << rank;
  }
  EXPECT_TRUE(wire.empty());
  auto const summed = total(given);
  EXPECT_EQ(summed.messages, expected.messages);
  EXPECT_EQ(summed.bytes_on_the_wire, expected.bytes_on_the_wire);
  EXPECT_EQ(summed.bytes_kept, expected.bytes_kept);
  EXPECT_EQ(summed.most_bytes_sent, expected.most_bytes_sent);
  EXPECT_EQ(summed.most_workspace, expected.most_workspace);
}

/// Moves an array in pieces, with all ranks in this process. The receiver of a piece must expect it in the same batch and in the
/// same order as its sender sends it, and with the same indices. Returns the number of pieces beyond the number of messages.
std::int64_t expect_moved_in_batches(description const& given, division const& by) {
  SCOPED_TRACE(list_text(given));
  auto const all = checked(given);
  int const ranks = test::ranks_of(given);
  struct piece {
    std::size_t batch;
    message described;
    std::vector<std::byte> bytes;
  };
  std::map<std::pair<int, int>, std::deque<piece>> wire;  // by sender and receiver
  std::int64_t divided = 0;
  for (int rank = 0; rank < ranks; ++rank) {
    auto const of = moves_of(all, rank, by), whole = moves_of(all, rank);
    EXPECT_LE(of.sends.buffer_bytes, whole.sends.buffer_bytes);
    EXPECT_LE(of.receives.buffer_bytes, whole.receives.buffer_bytes);
    divided += std::int64_t(of.sends.all.size()) - std::int64_t(whole.sends.all.size());
    auto source = source_of(given).block_of(rank, given.element.bytes(), given.shape);
    std::vector<std::byte> buffer(std::size_t(of.sends.buffer_bytes));
    for (std::size_t batch = 0; batch < of.batches.size(); ++batch)
      for (auto i = of.batches[batch].first_send; i < of.batches[batch].end_send; ++i) {
        auto const& each = of.sends.all[i];
        auto* const begin = at(each.is_direct ? source : buffer, each.offset);
        if (auto const& copy = of.sends.copies[i]) test::permute_plainly(*copy, source.data(), begin);
        wire[{rank, each.peer}].push_back({batch, each, {begin, begin + each.bytes}});
      }
  }
  for (int rank = 0; rank < ranks; ++rank) {
    auto const of = moves_of(all, rank, by);
    auto const reference = destination_of(given).block_of(rank, given.element.bytes(), given.shape);
    std::vector<std::byte> destination(reference.size()), buffer(std::size_t(of.receives.buffer_bytes));
    for (std::size_t batch = 0; batch < of.batches.size(); ++batch)
      for (auto i = of.batches[batch].first_receive; i < of.batches[batch].end_receive; ++i) {
        auto const& each = of.receives.all[i];
        auto& coming = wire[{each.peer, rank}];
        if (coming.empty() || coming.front().batch != batch || coming.front().described.bytes != each.bytes) {
          ADD_FAILURE() << each.peer << " sends no such piece to " << rank << " in batch " << batch;
          return 0;
        }
        auto const [number, sent, bytes] = std::move(coming.front());
        coming.pop_front();
        EXPECT_EQ(sent.indices.begin, each.indices.begin);
        EXPECT_EQ(sent.indices.extents, each.indices.extents);
        auto* const begin = at(each.is_direct ? destination : buffer, each.offset);
        std::memcpy(begin, bytes.data(), bytes.size());
        if (auto const& copy = of.receives.copies[i]) test::permute_plainly(*copy, begin, destination.data());
      }
    auto const source = source_of(given).block_of(rank, given.element.bytes(), given.shape);
    if (of.bytes_kept > 0) test::permute_plainly(of.kept, source.data(), destination.data());
    EXPECT_EQ(destination, reference) << "rank " << rank;
  }
  for (auto const& [ranks_of_messages, left] : wire) EXPECT_TRUE(left.empty());
  return divided;
}

unsigned const seeds_tried = test::is_slowed() ? 300 : 1500;
std::int64_t const least_divided = test::is_slowed() ? 1000 : 5000;

/// All lists of what the modes of a grid divide: a mode of an array of rank 2, or none.
std::vector<list> all_modes(std::size_t size) {
  std::vector<list> result{{}};
  for (std::size_t i = 0; i < size; ++i) {
    std::vector<list> longer;
    for (auto const& each : result)
      for (std::int64_t const mode : {kReplicated, std::int64_t(0), std::int64_t(1)}) {
        longer.push_back(each);
        longer.back().push_back(mode);
      }
    result = longer;
  }
  return result;
}

TEST(distributed_simulation, moves_every_matrix_over_every_small_grid) {
  auto const shapes = test::is_slowed() ? std::vector<list>{{5, 3}} : std::vector<list>{{5, 3}, {7, 2}, {1, 4}, {6, 6}, {0, 3}};
  for (list const& shape : shapes)
    for (list const& axes : {list{0, 1}, list{1, 0}})
      for (list const& grid : {list{}, list{1}, list{2}, list{3}, list{5}, list{8}, list{2, 2}, list{3, 2}, list{2, 4}})
        for (auto const& from : all_modes(grid.size()))
          for (auto const& to : all_modes(grid.size())) {
            expect_moved({shape, axes, {grid, from}, {grid, to}, 4});
            if (HasFailure()) return;
          }
}

TEST(distributed_simulation, moves_random_arrays_over_random_grids) {
  for (unsigned seed = 0; seed < seeds_tried && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    expect_moved(test::random_description(seed));
  }
}

TEST(distributed_simulation, moves_random_arrays_in_pieces_that_both_ranks_agree_about) {
  std::int64_t divided = 0;
  for (unsigned seed = 0; seed < seeds_tried && !HasFailure(); ++seed)
    for (std::int64_t const unit : {1, 40}) {
      SCOPED_TRACE(seed);
      divided += expect_moved_in_batches(test::random_description(seed), {.unit = unit});
    }
  EXPECT_GT(divided, least_divided);
}

TEST(distributed_simulation, moves_random_arrays_in_runs_that_both_ranks_agree_about) {
  std::int64_t divided = 0;
  for (unsigned seed = 0; seed < seeds_tried && !HasFailure(); ++seed)
    for (std::int64_t const run : {1, 12, 60}) {
      SCOPED_TRACE(seed);
      divided += expect_moved_in_batches(test::random_description(seed), {.run = run});
    }
  EXPECT_GT(divided, least_divided);
}

/// The numbers of messages that rank 0 sends and receives, and of those that need no copy.
std::array<std::int64_t, 4> counts_of(description const& given, std::int64_t run) {
  auto const of = moves_of(checked(given), 0, {.run = run});
  auto const direct = [](messages const& list) { return std::ranges::count_if(list.all, &message::is_direct); };
  return {std::int64_t(of.sends.all.size()), direct(of.sends), std::int64_t(of.receives.all.size()), direct(of.receives)};
}

TEST(distributed_simulation, sends_and_receives_long_runs_in_their_places) {
  using counts = std::array<std::int64_t, 4>;
  // Tokens x heads x width, divided by tokens, to heads x tokens x width, divided by heads: 4 runs of 2048 bytes are received.
  sharding const halves{{2}, {0}};
  description const to_heads{{64, 8, 16}, {1, 0, 2}, halves, halves, 4};
  EXPECT_EQ(counts_of(to_heads, 2048), counts({4, 0, 4, 4}));
  EXPECT_EQ(counts_of(to_heads, 2049), counts({1, 0, 1, 0}));
  // And back: runs are sent, and their receiver copies all of them with the last one.
  description const to_tokens{{8, 64, 16}, {1, 0, 2}, halves, halves, 4};
  EXPECT_EQ(counts_of(to_tokens, 2048), counts({4, 4, 4, 0}));
  auto const part = moves_of(checked(to_tokens), 0, {.run = 2048});
  EXPECT_EQ(part.sends.buffer_bytes, 0);
  EXPECT_FALSE(part.receives.copies[2].has_value());
  EXPECT_TRUE(part.receives.copies[3].has_value());
  // Elements that the receiver changes are copied there in any case.
  auto changed = to_heads;
  changed.element = element_operation{element_type::bf16, element_type::f32};
  EXPECT_EQ(counts_of(changed, 512), counts({1, 0, 1, 0}));
  // Too many runs are one message.
  EXPECT_EQ(counts_of({{64, 256, 16}, {1, 0, 2}, halves, halves, 4}, 2048), counts({128, 0, 128, 128}));
  EXPECT_EQ(counts_of({{300, 258, 16}, {1, 0, 2}, halves, halves, 4}, 2048), counts({1, 0, 1, 0}));
}

TEST(distributed_simulation, divides_messages_that_are_direct_on_one_side_only) {
  // The first message is whole columns, which the receiver has as rows; the second one is whole rows of the sender.
  for (auto const& [from, to] : {std::pair<sharding, sharding>{{{2}, {1}}, {{2}, {0}, {{2, 10}, {}}}},
                                 std::pair<sharding, sharding>{{{2}, {0}, {{8, 2}, {}}}, {{2}, {1}}}}) {
    description const given{{10, 12}, {1, 0}, from, to, 4};
    EXPECT_GT(expect_moved_in_batches(given, {.unit = 8}), 0);
    auto const all = checked(given);
    auto const sender = moves_of(all, 0, {.unit = 8}), receiver = moves_of(all, 1, {.unit = 8});
    auto const is_direct = [](message const& each) { return each.is_direct; };
    EXPECT_NE(std::ranges::all_of(sender.sends.all, is_direct), std::ranges::all_of(receiver.receives.all, is_direct));
  }
}

}  // namespace
}  // namespace cornerturn::distributed
