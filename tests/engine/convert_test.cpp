#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "kernel/convert/plan.hpp"
#include "problem/element_types.hpp"
#include "support/last_block.hpp"
#include "support/random_operation.hpp"
#include "support/slowed.hpp"
#include "support/ways.hpp"

namespace cornerturn {
namespace {

using numbers = std::vector<std::int64_t>;

std::vector<candidate> convert_candidates(problem const& simplest, alignment const& aligned) {
  std::vector<candidate> result;
  for (tiled_hint const& hint :
       {tiled_hint{256, 256}, tiled_hint{64, 128, 1 << 10}, tiled_hint{.run = 512, .vectors = 1, .grows = false}})
    if (auto const plan = plan_convert(simplest, aligned, hint)) result.push_back(single_step(*plan));
  return result;
}

/// Checks one of the candidates of each problem, or all of them.
void check_random_problems(unsigned count, bool every_candidate) {
  test::for_each_seed(count, [&](unsigned seed) {
    std::mt19937 generator(seed);
    auto const p = test::random_typed_problem(generator);
    auto const source_shift = std::size_t(p.element_size.source) * (generator() % 4),
               destination_shift = std::size_t(p.element_size.destination) * (generator() % 4);
    test::check_ways(p, source_shift, destination_shift, [&](problem const& simplest, alignment const& aligned) {
      auto all = convert_candidates(simplest, aligned);
      if (!every_candidate && !all.empty()) all = {all[generator() % all.size()]};
      return all;
    });
  });
}

TEST(convert, follows_the_definition_on_random_problems) { check_random_problems(test::is_slowed() ? 60 : 150, true); }
TEST(convert, slow_follows_the_definition_on_2000_random_problems) { check_random_problems(2'000, false); }

convert_plan planned(numbers const& shape, numbers const& axes, element_operation const& operation,
                     alignment const& aligned = {}) {
  return plan_convert(canonical(with_operation(permutation(shape, {}, axes, 1), operation)), aligned, {}).value();
}

/// Elements of every size, in all forms of the kernel, and complex ones of 16 bytes, whose types are selected only if bytes are
/// swapped.
TEST(convert, swaps_bytes) {
  using enum element_type;
  for (auto const type : {i16, f32, f64, c64, c128})
    for (auto const& shape : {numbers{64, 96}, numbers{33, 70}, numbers{7, 64, 32}})
      for (double const alpha : {1.0, 0.5})
        for (int const sides : {1, 2, 3}) {
          element_operation operation{.source = type, .destination = type, .alpha = alpha};
          operation.source_swapped = sides & 1, operation.destination_swapped = sides & 2;
          auto const axes = shape.size() == 2 ? numbers{1, 0} : numbers{1, 0, 2};
          auto const p = with_operation(permutation(shape, {}, axes, 1), operation);
          if (p.operation) test::check_ways(p, 0, 0, convert_candidates);
          if (HasFatalFailure()) return;
        }
}

TEST(convert, has_accesses_as_wide_as_the_larger_elements_allow) {
  using enum element_type;
  EXPECT_EQ(planned({128, 128}, {1, 0}, {f32, bf16}).widths(), (tiled_widths{4, 4, 4}));
  EXPECT_EQ(planned({128, 128}, {1, 0}, {u8, f32}).widths(), (tiled_widths{16, 4, 4}));
  EXPECT_EQ(planned({128, 128}, {0, 1}, {f32, bf16}).widths(), (tiled_widths{4, 1, 4})) << "nothing is transposed";
  EXPECT_EQ(planned({128, 131}, {1, 0}, {f32, bf16}).widths(), (tiled_widths{1, 1, 4})) << "odd rows of the source";
  EXPECT_EQ(planned({131, 128}, {1, 0}, {f32, bf16}).widths(), (tiled_widths{1, 1, 1})) << "odd rows of the destination";
  EXPECT_EQ(planned({128, 128}, {1, 0}, {f32, bf16}, {16, 2}).widths(), (tiled_widths{1, 1, 1}));
}

TEST(convert, has_programs_for_all_pairs_of_types) {
  using enum element_type;
  EXPECT_FALSE(planned({8, 8}, {1, 0}, {f32, f8_e4m3fn}).selects_types());
  EXPECT_TRUE(planned({8, 8}, {1, 0}, {i64, f16}).selects_types());
}

TEST(convert, reaches_the_last_of_more_than_2_to_the_32_elements) {
  constexpr std::int64_t kLarge = std::int64_t(1) << 31;
  for (auto const& axes : {numbers{1, 0}, numbers{0, 1}}) {
    auto const p =
        canonical(with_operation(permutation(numbers{kLarge, 3}, {}, axes, 1), {element_type::f32, element_type::bf16}));
    test::check_last_block(convert_plan::candidates(p, {}, h200_model()).front(), p);
  }
}

TEST(convert, refuses_more_modes_than_it_has_digits) {
  problem many{.modes = {}, .element_size = {4, 2}, .operation = element_operation{element_type::f32, element_type::bf16}};
  for (int i = 0; i < 25; ++i) many.modes.push_back({2, std::int64_t(1) << (24 - i), std::int64_t(1) << i});
  EXPECT_THROW(convert_plan::candidates(canonical(many), {}, h200_model()), error);
}

}  // namespace
}  // namespace cornerturn
