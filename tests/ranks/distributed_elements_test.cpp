#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "cornerturn/distributed.hpp"
#include "distributed/rank_moves.hpp"
#include "problem/extents.hpp"
#include "support/message.hpp"
#include "support/random_description.hpp"
#include "support/sharded.hpp"
#include "support/thread_communicator.hpp"

namespace cornerturn::distributed {
namespace {

using bytes = std::vector<std::byte>;
using enum element_type;

/// Operations of which some make messages smaller in pack, some in unpack, and some must be in unpack because of beta.
element_operation const kOperations[] = {{f32, bf16},
                                         {bf16, f32},
                                         {f64, f32, -2},
                                         {i32, i16},
                                         {u8, f32, 0.5},
                                         {f32, f32, 3},
                                         {f32, f32, 1, 0.5},
                                         {f64, f16, 2, -1},
                                         {f16, f64, 1, 1},
                                         {c64, c64, 1, 0, true},
                                         {c64, c128, {0, 1}},
                                         {f32, f8_e4m3fn, 1, 0, false, true},
                                         {boolean, boolean},
                                         {i32, u32},
                                         {c128, c64, {1, 1}, {0, 2}}};

/// An array of small numbers, as elements of some type.
bytes numbers(std::vector<std::int64_t> const& shape, element_type type) {
  std::vector<std::int32_t> values(std::size_t(product(shape)));
  std::iota(values.begin(), values.end(), 1);
  for (auto& each : values) each %= 101;
  bytes result(values.size() * std::size_t(size_of(type)));
  std::vector<std::int64_t> const all{std::int64_t(values.size())}, order{0};
  if (!values.empty()) cornerturn::permute(values.data(), result.data(), all, order, element_operation{i32, type});
  return result;
}

/// The blocks of a dense array.
std::vector<bytes> blocks_of(test::sharded_array const& array, bytes const& whole, int ranks, int size) {
  std::vector<bytes> result;
  for (int rank = 0; rank < ranks; ++rank) result.push_back(array.block_of(rank, whole, size));
  return result;
}

/// A permutation that changes elements, and the blocks of all ranks before and after it.
struct changed_array {
  changed_array(description const& of, element_operation const& operation) : given(of) {
    given.element = operation;
    auto const source = test::source_of(given), destination = test::destination_of(given);
    auto const ranks = test::ranks_of(given);
    auto const read = numbers(source.shape, operation.source);
    auto whole = numbers(destination.shape, operation.destination);
    before = blocks_of(destination, whole, ranks, size_of(operation.destination));
    cornerturn::permute(read.data(), whole.data(), given.shape, given.axes, operation);
    wanted = blocks_of(destination, whole, ranks, size_of(operation.destination));
    sources = blocks_of(source, read, ranks, size_of(operation.source));
  }

  description given;
  std::vector<bytes> sources, before, wanted;
};

TEST(distributed_elements, change_as_those_of_the_whole_array_do) {
  for (unsigned seed = 0; seed < 300 && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    changed_array const array(test::random_description(seed), kOperations[seed % std::size(kOperations)]);
    auto written = array.before;
    test::thread_job job(int(written.size()));
    auto const thrown = job.run([&](communicator& ranks) {
      auto const rank = std::size_t(ranks.rank());
      permute(array.sources[rank].data(), written[rank].data(), array.given, ranks);
    });
    EXPECT_EQ(thrown, std::vector<std::string>(written.size()));
    EXPECT_EQ(written, array.wanted);

    auto local = array.before;
    std::vector<rank_memory> memory;
    for (std::size_t rank = 0; rank < local.size(); ++rank) memory.push_back({array.sources[rank].data(), local[rank].data()});
    permute(memory, array.given);
    EXPECT_EQ(local, array.wanted);
  }
}

/// Bytes on the wire per element, and whether a rank copies before it sends and after it receives.
struct wire {
  std::int64_t bytes;
  bool packs, unpacks;
  bool operator==(wire const&) const = default;
};

wire wire_of(element_operation const& operation, sharding const& from, sharding const& to,
             std::vector<std::int64_t> const& axes) {
  description const given{{8, 12}, axes, from, to, operation};
  auto const part = moves_of(checked(given), 0);
  auto const sum = total(given);
  EXPECT_EQ(sum.bytes_on_the_wire % 48, 0);
  return {sum.bytes_on_the_wire / 48, !part.sends.all[0].is_direct, !part.receives.all[0].is_direct};
}

TEST(distributed_elements, travel_as_the_smaller_type_and_change_once) {
  sharding const rows{{2}, {0}}, columns{{2}, {1}};
  std::vector<std::int64_t> const swapped{1, 0};
  // each rank has the box that it sends in rows of its block, and receives it in columns of its block
  EXPECT_EQ(wire_of({f32, bf16}, rows, rows, swapped), (wire{2, true, true}));
  EXPECT_EQ(wire_of({bf16, f32}, rows, rows, swapped), (wire{2, true, true}));
  EXPECT_EQ(wire_of({f32, f32, 2}, rows, rows, swapped), (wire{4, true, true}));
  EXPECT_EQ(wire_of({f32, bf16, 1, 1}, rows, rows, swapped), (wire{4, true, true}));
  // each rank has the box that it sends contiguously, and the one that it receives, in another order
  EXPECT_EQ(wire_of({f32, bf16}, columns, columns, swapped), (wire{2, true, false}));
  EXPECT_EQ(wire_of({bf16, f32}, columns, columns, swapped), (wire{2, false, true}));
  EXPECT_EQ(wire_of({f32, bf16, 1, 1}, columns, columns, swapped), (wire{4, false, true}));
}

TEST(distributed_elements, are_not_copied_by_a_rank_that_has_nothing_to_change) {
  // Rows become blocks of other rows, so that each box is contiguous on both sides.
  auto const given = [](element_operation const& operation) {
    return description{{12, 4}, {0, 1}, {{2}, {0}}, {{2}, {0}, {{3, 9}, {}}}, operation};
  };
  auto const smaller = given({f32, bf16}), larger = given({bf16, f32}), with_beta = given({f32, bf16, 1, 1});
  EXPECT_FALSE(rank_plan(smaller, 0).sends()[0].is_direct);
  EXPECT_TRUE(rank_plan(smaller, 1).receives()[0].is_direct);
  EXPECT_EQ(rank_plan(smaller, 1).receives()[0].offset, 0);
  for (auto const& each : {larger, with_beta}) {
    EXPECT_TRUE(rank_plan(each, 0).sends()[0].is_direct);
    EXPECT_EQ(rank_plan(each, 0).sends()[0].offset, 3 * 4 * size_of(each.element.operation()->source));
    EXPECT_FALSE(rank_plan(each, 1).receives()[0].is_direct);
  }
  EXPECT_TRUE(rank_plan(given({i32, u32}), 0).sends()[0].is_direct);  // whose bits stay
}

TEST(distributed_elements, are_refused_where_permute_refuses_them) {
  auto const said = [](element_operation const& operation) {
    return test::message_of([&] { rank_plan({{6, 4}, {1, 0}, {{2}, {0}}, {{2}, {0}}, operation}, 0); });
  };
  float const factor = 2;
  EXPECT_EQ(said({f32, bf16}), "");
  EXPECT_EQ(said({c64, f32}), "operation.destination is f32; it must be complex, because the source is c64");
  EXPECT_EQ(said({.scale = &factor, .factor_strides = {0, 0}}),
            "operation.scale is an address; it must be null for an array over ranks");
  EXPECT_EQ(said({.bias = &factor, .factor_strides = {0, 0}}),
            "operation.bias is an address; it must be null for an array over ranks");
}

TEST(distributed_elements, are_aligned_and_agreed_about) {
  auto const thrown_with = [](std::size_t offset, element_operation const& of_rank_1) {
    test::thread_job job(2);
    return job.run([&](communicator& ranks) {
      description const given{{6, 4}, {1, 0}, {{2}, {0}}, {{2}, {0}}, ranks.rank() == 1 ? of_rank_1 : kOperations[0]};
      std::vector<double> source(12), destination(12);
      auto* const from = reinterpret_cast<std::byte*>(source.data()) + (ranks.rank() == 1 ? offset : 0);
      permute(from, destination.data(), given, ranks);
    });
  };
  EXPECT_EQ(thrown_with(0, kOperations[0]), std::vector<std::string>(2));
  EXPECT_EQ(thrown_with(0, {f32, bf16, 2}),
            std::vector<std::string>(2, "operation differs between ranks; it must be the same on all ranks"));
  auto const misaligned = thrown_with(2, kOperations[0]);
  EXPECT_EQ(misaligned[0], misaligned[1]);
  EXPECT_TRUE(misaligned[0].starts_with("on rank 1: source is 0x")) << misaligned[0];
  EXPECT_TRUE(misaligned[0].ends_with("it must be a multiple of 4 bytes, to change elements")) << misaligned[0];
}

}  // namespace
}  // namespace cornerturn::distributed
