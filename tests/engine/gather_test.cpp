#include <gtest/gtest.h>

#include <cstddef>
#include <random>

#include "plan/gather.hpp"
#include "problem/permuted.hpp"
#include "problem/validate.hpp"
#include "support/random_problem.hpp"
#include "support/seeds.hpp"
#include "support/ways.hpp"

namespace cornerturn {
namespace {

/// Checks the program with a tile near a wish, both arrays some bytes off a vector.
void check(problem const& p, tile_wish const& wish, std::size_t source_shift, std::size_t destination_shift) {
  test::check_ways(p, source_shift, destination_shift, [&](problem const& simplest, alignment const& aligned) {
    auto const plan = plan_gather(refit_elements(simplest, aligned), aligned, wish);
    EXPECT_LE(plan.job.shared_bytes, 200 << 10) << describe(plan);
    return std::vector<candidate>{{plan}};
  });
}

bool is_empty(problem const& p) {
  return std::ranges::any_of(p.modes, [](mode const& m) { return m.extent == 0; });
}

TEST(gather, follows_the_definition_on_random_problems) {
  auto const run = [](unsigned seed) {
    std::mt19937 generator(seed);
    auto const draw = [&](auto const&... options) {
      std::int64_t const all[] = {options...};
      return all[generator() % sizeof...(options)];
    };
    problem const p = test::random_problem(seed, {.rank = 6, .extent = draw(3, 5, 9, 20)});
    if (is_empty(p) || destination_range(p).high > 300'000 || source_range(p).high > 2'000'000) return;
    tile_wish const wish{draw(16, 64, 256), draw(16, 64, 256, 512), draw(256, 4096, 16384)};
    check(p, wish, std::size_t(draw(0, 0, 1, 4, 8)), std::size_t(draw(0, 0, 2, 4, 8, 5)));
  };
  test::for_each_seed(400, run, 8);
}

TEST(gather, rows_that_a_cut_leaves_off_a_unit) {
  check({.modes = {{400, 1, 1}, {3, 0, 400}}, .element_size = 1}, {32, 512, 4096}, 0, 1);
}

TEST(gather, rows_of_bytes_backwards_that_fill_no_square) {
  check({.modes = {{4, 1, 16}, {2, -25, 8}, {5, -5, 1}}, .element_size = 1, .source_offset = 45}, {64, 512, 16384}, 0, 0);
}

}  // namespace
}  // namespace cornerturn
