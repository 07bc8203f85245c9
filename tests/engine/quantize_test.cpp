#include "cpu/quantize/plan.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <vector>

#include "element/convert.hpp"
#include "engine/host/host.hpp"
#include "plan/quantize_candidates.hpp"
#include "support/quantized.hpp"
#include "support/seeds.hpp"
#include "support/with_workspace.hpp"

namespace cornerturn {
namespace {

void run_on_cpu(test::quantized_arrays& arrays, thread_limits const& threads) {
  cpu::run(cpu_quantize{arrays.layout, threads}, &arrays.call, nullptr);
}

/// The tile programs write what the CPU engine does, which tests/python/test_fp8.py compares with NumPy.
void expect_that_of_the_cpu(test::quantize_case const& each, unsigned seed) {
  test::quantized_arrays wanted(each, seed);
  run_on_cpu(wanted, {.most = 1});
  for (auto const& way : quantize_candidates_of(wanted.layout)) {
    test::quantized_arrays result(each, seed);
    test::run_with_workspace(way, result.memory(),
                             [](auto const& steps, plan_memory const& memory) { host::run(steps, memory); });
    ASSERT_TRUE(result == wanted) << each.text() << ", " << describe(way);
  }
}

TEST(quantize, of_the_tile_program_is_that_of_the_cpu) {
  for (auto const& each : test::quantize_cases()) {
    expect_that_of_the_cpu(each, 25);
    if (HasFatalFailure()) return;
  }
}

TEST(quantize, of_random_matrices_is_that_of_the_cpu) {
  test::for_each_seed(100, [](unsigned seed) {
    std::mt19937 generator(seed);
    expect_that_of_the_cpu(test::random_quantize_case(generator), seed);
  });
}

TEST(quantize, of_more_threads_is_the_same) {
  auto each = test::quantize_cases().front();
  each.rows = 700, each.cols = 900;
  test::quantized_arrays one(each), many(each);
  run_on_cpu(one, {.most = 1});
  run_on_cpu(many, {.most = 3, .quantized_tiles = 1});
  EXPECT_TRUE(one == many);
}

TEST(quantize, scales_are_powers_of_two_that_are_not_less) {
  for (float const amax : {448.0f, 449.0f, 1.0f, 0.0f, 3e38f, 1e-20f}) {
    element::scale_recipe recipe{.power_of_two = true};
    auto const rounded = element::scale_of(amax, recipe);
    recipe.power_of_two = false;
    auto const plain = element::scale_of(amax, recipe);
    EXPECT_GE(rounded.scale, plain.scale);
    EXPECT_LT(rounded.scale, 2 * plain.scale);
    EXPECT_EQ(std::bit_cast<std::uint32_t>(rounded.scale) & 0x7fffff, 0u);
    EXPECT_EQ(rounded.scale * rounded.factor, 1);
  }
}

}  // namespace
}  // namespace cornerturn
