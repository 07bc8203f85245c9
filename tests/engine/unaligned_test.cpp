#include <gtest/gtest.h>

#include <random>

#include "kernel/unaligned/plan.hpp"
#include "support/last_block.hpp"
#include "support/random_problem.hpp"
#include "support/seeds.hpp"
#include "support/ways.hpp"

namespace cornerturn {
namespace {

constexpr int kMostTiles = 30;  ///< a tile has hundreds of threads, which run one after another

std::vector<candidate> unaligned_candidates(problem const& simplest, alignment const&) {
  std::vector<candidate> result;
  for (auto const& plan : plan_unaligned(simplest))
    if (plan.job.tiles <= kMostTiles) result.push_back(single_step(plan));
  return result;
}

TEST(unaligned, follows_the_definition_at_every_edge_of_a_tile) {
  for (std::int64_t const size : {1, 2})
    for (std::int64_t const rows : {7, 16, 127, 129, 144, 145, 260})
      for (std::int64_t const cols : {63, 65, 130}) {
        problem const p{.modes = {{rows, cols, 1}, {cols, 1, rows}}, .element_size = size};
        ASSERT_EQ(plan_unaligned(p).size(), std::size_t(unaligned_tiles(int(size)))) << to_string(p);
        for (std::size_t const off : {0, 6}) test::check_ways(p, off, 8 - off, unaligned_candidates);
      }
}

TEST(unaligned, follows_the_definition_on_random_problems) {
  test::for_each_seed(40, [](unsigned seed) {
    std::mt19937 generator(seed);
    auto const draw = [&](int most) { return std::int64_t(generator() % unsigned(most)); };
    auto const size = 1 + draw(2), rows = 2 + draw(300), cols = 2 + draw(200), source_pitch = cols + draw(20),
               destination_pitch = rows + draw(20), one = rows * source_pitch + draw(9),
               other = cols * destination_pitch + draw(9);
    problem p{.modes = {{1 + draw(3), 4 * one, 3 * other},
                        {1 + draw(3), one, other},
                        {rows, source_pitch, 1},
                        {cols, 1, destination_pitch}},
              .element_size = size};
    for (auto& each : p.modes)
      if (each.source_stride != 1 && draw(4) == 0) {
        p.source_offset += (each.extent - 1) * each.source_stride;
        each.source_stride = -each.source_stride;
      }
    test::check_ways(p, std::size_t(draw(16) * size), std::size_t(draw(16) * size), unaligned_candidates);
  });
}

/// Rows and columns that consist of several modes, and modes that are in neither.
TEST(unaligned, follows_the_definition_on_random_permutations) {
  test::for_each_seed(400, [](unsigned seed) {
    std::mt19937 generator(seed);
    problem p = test::random_problem(seed, {.rank = 8, .extent = 2 + std::int64_t(generator() % 12), .zero_extents = false});
    p.element_size = 1 + generator() % 2;
    if (destination_range(p).high > 300'000 || source_range(p).high > 2'000'000) return;
    auto const step = std::size_t(shared_element_size(p));
    test::check_ways(p, generator() % 9 * step, generator() % 9 * step, unaligned_candidates);
  });
}

TEST(unaligned, reaches_the_last_of_more_than_2_to_the_31_elements) {
  for (std::int64_t const size : {1, 2}) {
    problem const p{.modes = {{65600, 49155, 1}, {49155, 1, 65600}}, .element_size = size};
    for (auto const& plan : plan_unaligned(p)) test::check_last_block(plan, p);
  }
}

}  // namespace
}  // namespace cornerturn
