#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "engine/host/host.hpp"
#include "kernel/packed/plan.hpp"
#include "plan/packed.hpp"
#include "support/message.hpp"
#include "support/packed.hpp"
#include "support/packed_moves.hpp"
#include "support/seeds.hpp"

namespace cornerturn {
namespace {

TEST(packed_kernel, transposes_on_the_host) {
  test::for_each_packed_case([](test::packed_case const& each, bit_packing const& packed) {
    auto const transpose = [&](auto const& source, auto& result, packed_matrices const& all) {
      auto const* const from = source.data() + each.begin;
      auto* const to = result.data() + each.begin;
      host::run(single_step(plan_packed(all, alignment_of(from, to))).steps, {.source = from, .destination = to});
    };
    EXPECT_EQ(test::wrong_byte(each, packed, transpose), "");
  });
}

TEST(packed_candidate, pads_and_crops_and_moves_elements_one_by_one_on_the_host) {
  int one_by_one = 0, padded = 0, cropped = 0, in_boxes = 0;
  test::for_each_seed(100, [&](unsigned seed) {
    auto each = test::random_packed_move(seed);
    if (!each.has_result()) return;
    auto result = each.destination;
    auto const* const from = each.source.data() + each.source_first;
    auto* const to = result.data() + each.destination_first;
    auto const way = packed_candidate(each.move, each.packed, each.pad, alignment_of(from, to));
    test::bytes_list workspace(std::size_t(way.workspace_bytes) + 16);
    auto* const aligned = workspace.data() + (-reinterpret_cast<std::uintptr_t>(workspace.data()) & 15);
    host::run(way.steps, {.source = from, .destination = to, .workspace = aligned});
    EXPECT_EQ(result, test::moved_plainly(each)) << describe(way);
    (way.workspace_bytes > 0 ? one_by_one : in_boxes) += 1;
    padded += !each.move.source.limits.empty(), cropped += !each.move.destination.limits.empty();
  });
  for (int const count : {one_by_one, in_boxes, padded, cropped}) EXPECT_GT(count, 10);
}

/// Planning touches no memory.
TEST(packed_kernel, is_described) {
  auto all = test::packed_case{4096, 4096}.matrices({4, false});
  EXPECT_EQ(
      describe(plan_packed(all, {16, 16})),
      "packed elements of 4 bits, lowest first, 256 threads: 1024 tiles of 256 x 256, loads of 4 bytes, stores of 16 bytes");
  all.outer[0] = {.extent = std::int64_t(1) << 22, .source_stride = 1 << 25, .destination_stride = 1 << 25};
  EXPECT_EQ(test::message_of([&] {
              plan_packed(all, {16, 16});
            }),
            "the number of tiles of the matrices is 1024 times 4194304; it must be at most 2147483647 on a GPU");
}

}  // namespace
}  // namespace cornerturn
