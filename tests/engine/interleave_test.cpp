#include <gtest/gtest.h>

#include <numeric>
#include <random>

#include "kernel/interleave/plan.hpp"
#include "support/last_block.hpp"
#include "support/seeds.hpp"
#include "support/ways.hpp"

namespace cornerturn {
namespace {

std::vector<candidate> interleave_candidates(problem const& simplest, alignment const& aligned) {
  auto const plan = plan_interleave(simplest, aligned);
  if (!plan) return {};
  return {single_step(*plan)};
}

/// Interleaves `fields` rows of `many` elements, or deinterleaves them. This is repeated `batch` times with a gap.
problem rows_and_structures(std::int64_t fields, std::int64_t many, std::int64_t batch, std::int64_t gap, bool to_aos,
                            std::int64_t size) {
  problem p{.modes = {{batch, fields * many + gap, fields * many + gap}, {fields, 1, many}, {many, fields, 1}},
            .element_size = size};
  if (to_aos)
    for (auto& each : p.modes) std::swap(each.source_stride, each.destination_stride);
  return p;
}

TEST(interleave, follows_the_definition_for_every_number_of_rows) {
  for (std::int64_t const size : {1, 2, 4, 8})
    for (std::int64_t fields = 2; fields <= 8; ++fields)
      for (bool const to_aos : {false, true})
        for (std::int64_t const units : {1, 256, 700}) {
          auto const p = rows_and_structures(fields, units * 16 / size, 3, 32 / size, to_aos, size);
          ASSERT_TRUE(plan_interleave(canonical(p), {})) << to_string(p);
          test::check_ways(p, 0, 0, interleave_candidates);
        }
}

TEST(interleave, follows_the_definition_on_random_problems) {
  test::for_each_seed(100, [](unsigned seed) {
    std::mt19937 generator(seed);
    auto const draw = [&](int most) { return std::int64_t(generator() % unsigned(most)); };
    auto const size = std::int64_t(1) << draw(4), unit = 16 / size;
    auto const fields = 2 + draw(7), many = (1 + draw(40)) * unit;
    auto p = rows_and_structures(fields, many, 1 + draw(5), draw(3) * unit, draw(2), size);
    p.modes.push_back({1 + draw(4), 9000 * unit, 8500 * unit});
    p.source_offset = draw(3) * unit;
    p.destination_offset = draw(3) * unit;
    test::check_ways(p, 0, 0, interleave_candidates);
  });
}

/// Unaligned rows and arrays, matrices with and without a gap between them, rows that end with a tile and just past one. The
/// interleaved side may be off by multiples of the greatest common divisor of a group and a unit.
TEST(interleave, follows_the_definition_for_unaligned_rows) {
  for (std::int64_t const size : {1, 2})
    for (std::int64_t fields = 2; fields <= 8; ++fields)
      for (bool const to_aos : {false, true}) {
        auto const grain = std::gcd(fields, 16 / size);
        for (std::int64_t const odd : {1, 2, 7, 15}) {
          std::int64_t const many = (odd > 2 ? 4080 : 2048) / size + odd, gap = odd == 7 ? 3 * grain : 0;
          auto p = rows_and_structures(fields, many, 2, gap, to_aos, size);
          p.source_offset = to_aos ? odd : grain;
          p.destination_offset = to_aos ? grain : odd;
          auto const plan = plan_interleave(canonical(p), {});
          ASSERT_TRUE(plan && plan->unaligned) << to_string(p);
          auto const shift = [&](bool piece) { return std::size_t(piece ? size * grain * (odd % 3) : size * odd); };
          test::check_ways(p, shift(!to_aos), shift(to_aos), interleave_candidates);
        }
      }
}

TEST(interleave, reaches_the_last_of_more_than_2_to_the_31_elements) {
  constexpr std::int64_t kMany = (std::int64_t(1) << 30) + 16;
  for (bool const to_aos : {false, true})
    for (std::int64_t const many : {kMany, kMany + 1}) {
      auto const p = canonical(rows_and_structures(3, many, 2, 0, to_aos, 1));
      test::check_last_block(plan_interleave(p, {}).value(), p);
    }
}

TEST(interleave, is_planned_where_groups_can_begin_with_a_unit) {
  auto const at = [](std::int64_t fields, alignment const& aligned) {
    return plan_interleave(rows_and_structures(fields, 5001, 1, 0, false, 1), aligned).has_value();
  };
  EXPECT_TRUE(at(3, {1, 1}));
  EXPECT_TRUE(at(4, {4, 1}));
  EXPECT_FALSE(at(4, {2, 16}));
  EXPECT_FALSE(plan_interleave(rows_and_structures(3, 5001, 1, 0, false, 4), {}));
  EXPECT_FALSE(plan_interleave(rows_and_structures(3, 501, 1, 0, false, 1), {}));
}

TEST(interleave, is_planned_for_whole_aligned_units) {
  auto const p = rows_and_structures(3, 64, 2, 0, false, 2);
  EXPECT_TRUE(plan_interleave(p, {}));
  EXPECT_FALSE(plan_interleave(p, {8, 16}));
  EXPECT_FALSE(plan_interleave(p, {16, 2}));
  EXPECT_FALSE(plan_interleave(rows_and_structures(3, 60, 2, 0, false, 2), {}));
  EXPECT_FALSE(plan_interleave(rows_and_structures(9, 64, 2, 0, true, 2), {}));
  EXPECT_FALSE(plan_interleave(rows_and_structures(3, 64, 2, 4, true, 2), {}));
  auto off = p;
  off.source_offset = 1;
  EXPECT_FALSE(plan_interleave(off, {}));
}

}  // namespace
}  // namespace cornerturn
