#include <gtest/gtest.h>

#include "engine/cpu/cpu.hpp"
#include "engine/host/host.hpp"
#include "inplace/plan.hpp"
#include "problem/canonical.hpp"
#include "support/any_axes.hpp"
#include "support/inplace.hpp"
#include "support/seeds.hpp"
#include "support/slowed.hpp"
#include "support/with_workspace.hpp"

namespace cornerturn {
namespace {

problem problem_in(test::square_problem const& given) {
  return canonical(permutation(given.shape, {}, given.axes, given.element_size));
}

bool moves_elements(problem const& given) { return !std::ranges::all_of(given.modes, stays); }

void by_the_cpu(std::byte* data, test::square_problem const& given) {
  auto const planned = cpu_inplace_candidate_of(problem_in(given));
  ASSERT_TRUE(planned);
  test::run_with_workspace(*planned, {.destination = data},
                           [](auto const& steps, plan_memory const& memory) { cpu::run(steps, memory); });
}

/// By a GPU's plan. `gpu` is the model that it is for.
test::inplace_mover by_the_host_executor(gpu_model const& gpu) {
  return [=](std::byte* data, test::square_problem const& given) {
    auto const planned = inplace_candidate_of(problem_in(given), alignment_of(data, data), gpu);
    ASSERT_TRUE(planned);
    test::run_with_workspace(*planned, {.destination = data},
                             [](auto const& steps, plan_memory const& memory) { host::run(steps, memory); });
  };
}

/// A GPU whose clusters are so small that small arrays take two passes.
gpu_model small_gpu() {
  auto result = h200_model();
  result.limits.cluster_blocks = 1;
  result.limits.shared_bytes_per_sm = 4096 + result.limits.reserved_shared_bytes;
  return result;
}

TEST(any_axes, follow_the_definition_on_the_cpu) {
  test::for_each_seed(test::is_slowed() ? 1'000 : 4'000, [](unsigned seed) {
    auto const p = test::random_permutation(seed, seed % 250 ? 6'000 : 3'000'000);
    if (moves_elements(problem_in(p))) test::check_inplace(p, seed % 3 ? 16 : seed % 64, by_the_cpu);
  });
}

TEST(any_axes, follow_the_definition_on_the_host_executor) {
  test::for_each_seed(test::is_slowed() ? 500 : 2'500, [](unsigned seed) {
    auto const p = test::random_permutation(seed, 4'000);
    if (moves_elements(problem_in(p))) test::check_inplace(p, seed % 3 ? 16 : seed % 64, by_the_host_executor(h200_model()));
  });
}

TEST(any_axes, follow_the_definition_on_the_host_executor_in_two_passes) {
  auto const gpu = small_gpu();
  test::for_each_seed(test::is_slowed() ? 50 : 400, [&](unsigned seed) {
    auto const p = test::random_permutation(seed, 60'000);
    auto const moved = problem_in(p);
    if (moves_elements(moved) && inplace_candidate_of(moved, {}, gpu)) test::check_inplace(p, 16, by_the_host_executor(gpu));
  });
}

}  // namespace
}  // namespace cornerturn
