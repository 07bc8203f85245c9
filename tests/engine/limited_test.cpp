#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <variant>
#include <vector>

#include "engine/cpu/cpu.hpp"
#include "engine/host/host.hpp"
#include "plan/limited.hpp"
#include "support/limited.hpp"
#include "support/seeds.hpp"

namespace cornerturn {
namespace {

template <class Plan = limited_plan>
bool is_one_launch(candidate const& each) {
  return each.steps.size() == 1 && std::holds_alternative<Plan>(each.steps.front().kernel);
}

/// Runs a candidate, and compares the result with the definition.
template <class Run>
void expect_right(test::limited_case const& each, candidate const& way, std::vector<std::byte> const& wanted, Run const& run) {
  auto result = each.destination;
  run(way, plan_memory{.source = each.from(), .destination = each.to(result)});
  EXPECT_EQ(result, wanted) << to_string(each.copy) << "\n" << describe(way);
}

constexpr auto on_host = [](candidate const& way, plan_memory const& memory) { host::run(way.steps, memory); };
constexpr auto on_cpu = [](candidate const& way, plan_memory const& memory) { cpu::run(way, memory); };

TEST(limited, follows_the_definition_on_random_copies) {
  int launches = 0, boxes = 0;
  test::for_each_seed(200, [&](unsigned seed) {
    auto each = test::random_limited_case(seed);
    if (std::ranges::count(each.copy.move.destination.shape, 0) || !each.copy.move.is_limited()) return;
    auto const wanted = test::moved_plainly(each);
    auto const aligned = alignment_of(each.from(), each.to(each.destination));
    for (auto const& way : limited_candidates(each.copy, aligned, h200_model())) {
      (is_one_launch(way) ? launches : boxes) += 1;
      expect_right(each, way, wanted, on_host);
    }
    expect_right(each, cpu_limited_candidate(each.copy), wanted, on_cpu);
  });
  EXPECT_GT(launches, 20);
  EXPECT_GT(boxes, 20);
}

TEST(swizzled, follows_the_definition_on_random_tiles) {
  int tiled = 0, direct = 0, boxes = 0, chunks = 0, limited = 0;
  test::for_each_seed(200, [&](unsigned seed) {
    auto each = test::random_swizzled_case(seed);
    ASSERT_TRUE(limited_of(each.copy)) << to_string(each.copy);
    auto const wanted = test::moved_plainly(each);
    auto const aligned = alignment_of(each.from(), each.to(each.destination));
    for (auto const& way : limited_candidates(each.copy, aligned, h200_model())) {
      (is_one_launch<swizzled_plan>(way) ? tiled : is_one_launch(way) ? direct : boxes) += 1;
      expect_right(each, way, wanted, on_host);
    }
    auto const on_this_cpu = cpu_limited_candidate(each.copy);
    bool const has_chunks = std::holds_alternative<cpu_swizzled>(only_step(on_this_cpu).kernel);
    chunks += has_chunks, limited += has_chunks && each.copy.move.is_limited();
    expect_right(each, on_this_cpu, wanted, on_cpu);
    for (auto& each_side : {&pattern_move::source, &pattern_move::destination})
      (each.copy.move.*each_side).swizzle.of_offsets = {};
    for (auto const& way : limited_candidates(each.copy, aligned, h200_model())) expect_right(each, way, wanted, on_host);
    expect_right(each, cpu_limited_candidate(each.copy), wanted, on_cpu);
  });
  for (int const count : {chunks, limited, tiled, direct, boxes}) EXPECT_GT(count, 5);
}

/// 300 x 10 bytes of block scales, padded to tiles of 128 x 4.
pattern_copy block_scales(std::int64_t rows, std::int64_t columns) {
  auto const steps = rearrangement_of("(m a b) (k c) -> m k b a c", {rows, columns},
                                      std::vector<axis_length>{{"a", 4}, {"b", 32}, {"c", 4}}, {.padded = true});
  return {move_of(*steps, {rows, columns}, {}), 1, {std::byte{0}}};
}

TEST(limited, moves_vectors_if_no_limit_is_within_one) {
  auto const size_of = [](std::int64_t rows, std::int64_t columns) {
    return plan_limited(limited_of(block_scales(rows, columns)).value(), {})->copy.element_size;
  };
  EXPECT_EQ(size_of(300, 8), 4);
  EXPECT_EQ(size_of(300, 10), 2);
  EXPECT_EQ(size_of(300, 9), 1);
}

TEST(limited, is_one_launch_where_the_boxes_are_many_and_small) {
  auto const first = [](std::int64_t rows, std::int64_t columns) {
    return limited_candidates(block_scales(rows, columns), {}, h200_model()).front();
  };
  EXPECT_TRUE(is_one_launch(first(300, 8)));
  EXPECT_TRUE(is_one_launch(first(300, 10)));
  EXPECT_FALSE(is_one_launch(first(1 << 18, 3000))) << "each box is large enough for the fastest kernel";
}

TEST(limited, edges_are_moved_beside_the_box_that_has_no_limits) {
  auto const way = limited_candidates(block_scales(1 << 18, 3001), {}, h200_model()).front();
  ASSERT_EQ(way.steps.size(), 2u);
  EXPECT_FALSE(way.steps.front().is_beside_last || std::holds_alternative<limited_plan>(way.steps.front().kernel));
  EXPECT_TRUE(way.steps.back().is_beside_last && std::holds_alternative<limited_plan>(way.steps.back().kernel));
  EXPECT_EQ(describe(way), describe(way.steps.front()) + "; beside it " + describe(way.steps.back()));
}

TEST(limited, needs_an_axis_of_31_bits_and_a_pad_of_equal_parts) {
  auto copy = block_scales(300, 10);
  EXPECT_TRUE(limited_of(copy));
  copy.element_size = 12, copy.pad.assign(12, std::byte{1});
  EXPECT_TRUE(limited_of(copy));
  copy.pad.back() = std::byte{2};
  EXPECT_FALSE(limited_of(copy)) << "the parts of 4 bytes differ";
  EXPECT_FALSE(limited_of(block_scales((std::int64_t(1) << 31) + 1, 10)));
}

/// 232 of 240 channels in blocks of 16: each row of the pad has 8 channels.
cpu_limited blocks_of_channels(std::int64_t pixels) {
  auto const steps =
      rearrangement_of("n (c b) p -> n c p b", {64, 232, pixels}, std::vector<axis_length>{{"b", 16}}, {.padded = true});
  pattern_copy const copy{move_of(*steps, {64, 232, pixels}, {}), 2, {std::byte{1}, std::byte{2}}};
  return std::get<cpu_limited>(only_step(cpu_limited_candidate(copy)).kernel);
}

TEST(limited, divides_boxes_into_pieces_of_about_the_same_size) {
  auto const plan = blocks_of_channels(3136);
  auto const share = plan.padded.front().limits.threads.share;
  for (auto const* const boxes : {&plan.copied, &plan.padded})
    for (auto const& each : *boxes)
      EXPECT_LE(each.bytes / cpu_limited::pieces_of(each), 2 * share + each.tile.bytes()) << describe(each);
  EXPECT_GT(plan.pieces(), plan.bytes() / share / 4);
}

TEST(limited, writes_the_pad_in_rows) {
  auto const few = blocks_of_channels(3136);
  ASSERT_EQ(few.padded.size(), 1);
  EXPECT_EQ(few.padded.front().tile.unit, 16) << "8 channels";
  EXPECT_EQ(few.pad.size(), 16);
  pattern_copy const rows{
      move_of(*rearrangement_of("(m a) k -> m a k", {1, 50021}, std::vector<axis_length>{{"a", 64}}, {.padded = true}),
              {1, 50021}, {}),
      1,
      {std::byte{1}}};
  auto const many = std::get<cpu_limited>(only_step(cpu_limited_candidate(rows)).kernel);
  EXPECT_EQ(many.pad.size(), 16 << 10);
  EXPECT_EQ(many.padded.size(), 2) << "rows of 16 KiB and a shorter one";
}

TEST(limited, is_described) {
  auto const copy = block_scales(300, 8);
  EXPECT_EQ(describe(limited_of(copy).value()),
            "shape (3, 2, 32, 4, 4), byte strides (1024, 4, 8, 256, 1) to (1024, 512, 16, 4, 1), elements of 1 byte, an axis "
            "padded from 300");
  EXPECT_EQ(
      describe(copy),
      "shape (3, 2, 32, 4, 4), byte strides (1024, 4, 8, 256, 1) to (1024, 512, 16, 4, 1), elements of 1 byte, padded from 300");
  EXPECT_EQ(describe(plan_limited(limited_of(copy).value(), {}).value()),
            "limited, 4 vectors of 4 bytes per thread, 128 threads: 2 blocks");
  EXPECT_TRUE(
      describe(cpu_limited_candidate(copy)).starts_with("boxes of indices: 3 copied, 2 padded, 5 pieces; the largest by "));
}

}  // namespace
}  // namespace cornerturn
