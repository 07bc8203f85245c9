#include "engine/cpu/compare_results.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <vector>

#include "api/prepare.hpp"
#include "plan/cpu_candidates.hpp"
#include "problem/canonical.hpp"
#include "problem/permuted.hpp"
#include "support/random_operation.hpp"
#include "support/random_problem.hpp"
#include "support/scratch.hpp"
#include "support/seeds.hpp"

namespace cornerturn {
namespace {

using numbers = std::vector<std::int64_t>;
using enum element_type;

/// Compares the candidates for a problem, and returns their number.
std::size_t compare(problem const& p, cpu_tile_hint const& hint = {}) {
  auto const all = cpu_candidates_of(canonical(p), hint);
  cpu::compare_results(canonical(p), all, source_range(p), destination_range(p));
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
    cpu_tile_hint hint{.tile = 1024, .columns = 16, .row = 256, .cached = seed % 2 ? 0 : 4 << 20};
    hint.limits.surely_cached = 256;
    candidates += compare(test::random_typed_problem(generator), hint);
    candidates += compare(test::random_problem(seed, {.extent = 12, .zero_extents = false}), hint);
    ++seeds;
  });
  EXPECT_GT(candidates, 4 * seeds);  // of two problems for each
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

TEST(compare_results, ends_the_process_if_two_differ) {
  auto const p = transposed(60, 80, 4);
  auto const differ = [&] { cpu::compare_results(p, different_ones(), source_range(p), destination_range(p)); };
  EXPECT_DEATH(differ(), "the results of two candidates for .* differ, first in byte [1-9][0-9]*: .*; .*");
}

TEST(compare_results, is_done_by_checked_builds_before_they_time) {
  test::scratch const folder;
  setenv("CORNERTURN_CACHE_DIR", (folder / "").c_str(), 1);
  auto const plan = unplanned(transposed(60, 80, 4), {}, kHost, 0);
  auto const measure = [&] {
    auto among = selection_of(plan);
    among.candidates = different_ones;
    measure_choice(among);
  };
  if (cpu::kComparesResults)
    EXPECT_DEATH(measure(), "the results of two candidates");
  else
    measure();
  unsetenv("CORNERTURN_CACHE_DIR");
}

}  // namespace
}  // namespace cornerturn
