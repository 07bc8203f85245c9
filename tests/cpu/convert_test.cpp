#include "cpu/convert/convert.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "plan/cpu_candidates.hpp"
#include "problem/element_types.hpp"
#include "support/all_types.hpp"
#include "support/random_operation.hpp"
#include "support/slowed.hpp"
#include "support/ways.hpp"

namespace cornerturn {
namespace {

using numbers = std::vector<std::int64_t>;

/// In the caches, and past them.
std::vector<candidate> cpu_convert_candidates(problem const& simplest, alignment const&) {
  return {cpu_candidate_of(simplest), cpu_candidate_of(simplest, {.streamed_above = 0}),
          cpu_candidate_of(simplest, {.limits = {.threads = {.most = 1}}})};
}

void check_conversions(problem const& p, std::size_t source_shift, std::size_t destination_shift) {
  test::check_ways_on_cpu(p, source_shift, destination_shift, cpu_convert_candidates);
}

TEST(cpu_convert, follows_the_definition_on_random_problems) {
  test::for_each_seed(test::is_slowed() ? 2000 : 10'000, [](unsigned seed) {
    std::mt19937 generator(seed);
    auto const p = test::random_typed_problem(generator);
    auto const source_shift = generator() % 20, destination_shift = generator() % 20;
    check_conversions(p, source_shift, destination_shift);
  });
}

/// Long rows, in the order of the source and across it, for every pair of types.
TEST(cpu_convert, follows_the_definition_for_all_types) {
  for (auto const source : test::kAllTypes)
    for (auto const destination : test::kAllTypes) {
      element_operation operation{source, destination};
      if (is_complex(operation.source) && !is_complex(operation.destination)) continue;
      if (copies_bits(operation)) operation.alpha = 2;
      for (double const beta : {0.0, 0.5}) {
        operation.beta = beta;
        for (auto const& axes : {numbers{0, 1}, numbers{1, 0}})
          check_conversions(with_operation(permutation(numbers{5, 701}, {}, axes, 1), operation), 0, 0);
      }
    }
}

TEST(cpu_convert, cuts_large_problems_into_boxes) {
  auto const p = with_operation(permutation(numbers{1519, 1771}, {}, numbers{1, 0}, 1), {element_type::f32, element_type::bf16});
  auto const plan = plan_cpu_convert(canonical(p));
  EXPECT_GT(plan.tasks(), 4);
  EXPECT_GT(plan.boxes.size(), 2u) << "boxes at the edges are smaller";
  check_conversions(p, 0, 0);
}

/// A box of its own for each combination of last pieces made plans of many short modes take milliseconds.
TEST(cpu_convert, plans_boxes_only_for_pieces_that_are_smaller) {
  auto const p =
      with_operation(permutation(numbers{2, 2, 2, 2, 2, 269, 22, 3, 77, 2, 2}, {}, numbers{4, 3, 1, 2, 0, 5, 8, 7, 6, 10, 9}, 1),
                     {element_type::f32, element_type::bf16});
  auto const plan = plan_cpu_convert(canonical(p));
  auto const uneven = std::ranges::count_if(plan.loops, [](convert_loop const& each) { return each.smaller != 0; });
  EXPECT_LT(uneven, std::ssize(plan.loops));
  EXPECT_EQ(plan.boxes.size(), std::size_t(1) << uneven);
}

TEST(cpu_convert, reads_rows_that_stay_from_the_source) {
  element_operation const operation{element_type::f32, element_type::bf16};
  auto const planned = [&](numbers const& axes) {
    return plan_cpu_convert(canonical(with_operation(permutation(numbers{64, 64, 512}, {}, axes, 1), operation)));
  };
  EXPECT_EQ(planned({1, 0, 2}).order, change_order::in_place_of_copy);
  EXPECT_EQ(planned({2, 1, 0}).order, change_order::first);
}

}  // namespace
}  // namespace cornerturn
