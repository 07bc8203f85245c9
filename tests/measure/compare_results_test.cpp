#include "measure/compare_results.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <vector>

#include "api/prepare.hpp"
#include "engine/cpu/cpu.hpp"
#include "engine/host/host.hpp"
#include "plan/choose.hpp"
#include "plan/cpu_candidates.hpp"
#include "problem/canonical.hpp"
#include "problem/permuted.hpp"
#include "support/random_operation.hpp"
#include "support/random_problem.hpp"
#include "support/scratch.hpp"
#include "support/seeds.hpp"
#include "support/with_workspace.hpp"

namespace cornerturn {
namespace {

using numbers = std::vector<std::int64_t>;
using enum element_type;

void run_candidate(candidate const& each, std::byte const* source, std::byte* result) {
  cpu::run(each.steps, {.source = source, .destination = result});
}

/// Compares the candidates for a problem, and returns their number.
std::size_t compare(problem const& p, cpu_tile_hint const& hint = {}) {
  auto const all = cpu_candidates_of(canonical(p), hint);
  compare_results(canonical(p), all, source_range(p), destination_range(p), run_candidate);
  return all.size();
}

problem transposed(std::int64_t rows, std::int64_t columns, std::int64_t size) {
  return permutation(numbers{rows, columns}, {}, numbers{1, 0}, size);
}

/// The first candidate moves a matrix, the second one another matrix of as many elements.
std::vector<candidate> different_ones() {
  return {cpu_candidate_of(transposed(60, 80, 4)), cpu_candidate_of(transposed(80, 60, 4))};
}

/// Tiles are small, and results large for caches that are small, so that there are several candidates.
TEST(compare_results, finds_no_difference_in_random_problems) {
  std::size_t seeds = 0, candidates = 0;
  test::for_each_seed(300, [&](unsigned seed) {
    std::mt19937 generator(seed);
    cpu_tile_hint hint{.tile = 1024, .columns = 16, .row = 256, .streamed_above = seed % 2 ? 0 : 4 << 20};
    hint.limits.surely_cached = 256;
    candidates += compare(test::random_typed_problem(generator), hint);
    candidates += compare(test::random_problem(seed, {.extent = 12, .zero_extents = false}), hint);
    ++seeds;
  });
  EXPECT_GT(candidates, 3 * seeds);  // of two problems for each
}

/// Results that are stored past the caches have more candidates. Elements change with alpha and beta, too.
TEST(compare_results, finds_no_difference_in_large_results) {
  std::size_t candidates = 0;
  auto const p = permutation(numbers{2100, 160, 4}, {}, numbers{1, 0, 2}, 4);
  for (auto const& each :
       {p, transposed(1100, 1030, 4), with_operation(p, {.source = f32, .destination = f32, .alpha = 3, .beta = 2}),
        with_operation(p, {.source = f32, .destination = bf16, .alpha = 0.3}),
        with_operation(p, {.source = u8, .destination = f32})})
    candidates += compare(each);
  EXPECT_GT(candidates, 10u);
}

/// A GPU's candidates, by the host executor, from arrays that begin at vectors.
TEST(compare_results, finds_no_difference_between_kernels_of_a_gpu) {
  std::size_t candidates = 0;
  auto const on_the_host = [](candidate const& each, std::byte const* source, std::byte* result) {
    test::run_with_workspace(each, {.source = source, .destination = result},
                             [](auto const& steps, plan_memory const& in) { host::run(steps, in); });
  };
  auto const p = transposed(48, 80, 2);
  for (auto const& each : {p, with_operation(p, {.source = bf16, .destination = f32, .alpha = 3, .beta = 2}),
                           problem{{{30, -40, 1}, {40, 1, 30}}, 4, 29 * 40, 0}}) {
    auto const all = candidates_of(canonical(each), {16, 16}, h200_model());
    compare_results(canonical(each), all, source_range(each), destination_range(each), on_the_host);
    candidates += all.size();
  }
  EXPECT_GT(candidates, 10u);
}

TEST(compare_results, ends_the_process_if_two_differ) {
  auto const p = transposed(60, 80, 4);
  auto const differ = [&] { compare_results(p, different_ones(), source_range(p), destination_range(p), run_candidate); };
  EXPECT_DEATH(differ(), "the results of two candidates for .* differ, first in byte [1-9][0-9]*: .*; .*");
}

TEST(compare_results, is_done_by_checked_builds_before_they_time) {
  test::scratch const folder;
  setenv("CORNERTURN_CACHE_DIR", (folder / "").c_str(), 1);
  auto const plan = unplanned(transposed(60, 80, 4), {kHost, {}, 0});
  auto const measure = [&] {
    auto among = selection_of(plan);
    among.candidates = different_ones;
    measure_choice(among);
  };
  if (compares_results())
    EXPECT_DEATH(measure(), "the results of two candidates");
  else
    measure();
  unsetenv("CORNERTURN_CACHE_DIR");
}

}  // namespace
}  // namespace cornerturn
