#include <gtest/gtest.h>

#include <random>

#include "plan/interleave.hpp"
#include "support/seeds.hpp"
#include "support/ways.hpp"

namespace cornerturn {
namespace {

std::vector<candidate> ways(problem const& simplest, alignment const& aligned) {
  auto const plan = plan_interleave(simplest, aligned);
  if (!plan) return {};
  return {{*plan}};
}

/// `few` rows of `many` elements, `batch` times over with a gap, to elements side by side or back.
problem rows_and_structures(std::int64_t few, std::int64_t many, std::int64_t batch, std::int64_t gap, bool together,
                            std::int64_t size) {
  problem p{.modes = {{batch, few * many + gap, few * many + gap}, {few, 1, many}, {many, few, 1}}, .element_size = size};
  if (together)
    for (auto& each : p.modes) std::swap(each.source_stride, each.destination_stride);
  return p;
}

TEST(interleave, follows_the_definition_for_every_number_of_rows) {
  for (std::int64_t const size : {1, 2, 4, 8})
    for (std::int64_t few = 2; few <= 8; ++few)
      for (bool const together : {false, true})
        for (std::int64_t const units : {1, 256, 700}) {
          auto const p = rows_and_structures(few, units * 16 / size, 3, 32 / size, together, size);
          ASSERT_TRUE(plan_interleave(canonical(p), {})) << to_string(p);
          test::check_ways(p, 0, 0, ways);
        }
}

TEST(interleave, follows_the_definition_on_random_problems) {
  test::for_each_seed(100, [](unsigned seed) {
    std::mt19937 generator(seed);
    auto const draw = [&](int most) { return std::int64_t(generator() % unsigned(most)); };
    auto const size = std::int64_t(1) << draw(4), unit = 16 / size;
    auto const few = 2 + draw(7), many = (1 + draw(40)) * unit;
    auto p = rows_and_structures(few, many, 1 + draw(5), draw(3) * unit, draw(2), size);
    p.modes.push_back({1 + draw(4), 9000 * unit, 8500 * unit});
    p.source_offset = draw(3) * unit;
    p.destination_offset = draw(3) * unit;
    test::check_ways(p, 0, 0, ways);
  });
}

TEST(interleave, is_planned_for_whole_aligned_units_only) {
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
