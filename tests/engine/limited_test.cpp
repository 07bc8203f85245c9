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
  int tiled = 0, direct = 0, boxes = 0, chunks = 0;
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
    chunks += std::holds_alternative<cpu_swizzled>(only_step(on_this_cpu).kernel);
    expect_right(each, on_this_cpu, wanted, on_cpu);
    for (auto& each_side : {&pattern_move::source, &pattern_move::destination})
      (each.copy.move.*each_side).swizzle.of_offsets = {};
    for (auto const& way : limited_candidates(each.copy, aligned, h200_model())) expect_right(each, way, wanted, on_host);
    expect_right(each, cpu_limited_candidate(each.copy), wanted, on_cpu);
  });
  for (int const count : {chunks, tiled, direct, boxes}) EXPECT_GT(count, 5);
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

TEST(limited, needs_an_axis_of_31_bits_and_a_pad_of_equal_parts) {
  auto copy = block_scales(300, 10);
  EXPECT_TRUE(limited_of(copy));
  copy.element_size = 12, copy.pad.assign(12, std::byte{1});
  EXPECT_TRUE(limited_of(copy));
  copy.pad.back() = std::byte{2};
  EXPECT_FALSE(limited_of(copy)) << "the parts of 4 bytes differ";
  EXPECT_FALSE(limited_of(block_scales((std::int64_t(1) << 31) + 1, 10)));
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
      describe(cpu_limited_candidate(copy)).starts_with("boxes of indices: 3 copied, 2 padded, 109 tiles; the largest by "));
}

}  // namespace
}  // namespace cornerturn
