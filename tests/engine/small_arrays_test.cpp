#include "inplace/gpu.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <variant>

#include "engine/host/host.hpp"
#include "inplace/plan.hpp"
#include "kernel/gather/plan.hpp"
#include "problem/canonical.hpp"
#include "support/inplace.hpp"
#include "support/seeds.hpp"
#include "support/slowed.hpp"

namespace cornerturn {
namespace {

std::optional<candidate> small_way(test::square_problem const& p, alignment const& aligned) {
  auto const refitted = refit_elements(canonical(permutation(p.shape, {}, p.axes, p.element_size)), aligned);
  return small_arrays_inplace(refitted, aligned, h200_model());
}

/// Arrays of two and three modes, of whole vectors and of any elements, in one tile and in several.
TEST(small_arrays, follow_the_definition) {
  int moved = 0;
  test::for_each_seed(test::is_slowed() ? 40 : 200, [&](unsigned seed) {
    std::mt19937 generator(seed);
    auto const draw = [&](std::int64_t low, std::int64_t high) {
      return std::uniform_int_distribution<std::int64_t>(low, high)(generator);
    };
    auto const size = std::int64_t(1) << draw(0, 4), step = draw(0, 2) == 0 ? 16 / size : 1;
    bool const has_three = draw(0, 3) == 0;
    auto const rows = draw(2, 9), columns = step * draw(2, 24 / step + 2), third = has_three ? draw(2, 5) : 1;
    test::square_problem const p{{draw(2, 90), rows, columns, third}, {0, 3, 2, 1}, size};
    if (p.bytes() > 200'000) return;
    test::check_inplace(p, seed % 3 ? 0 : std::size_t(size), [&](std::byte* data, test::square_problem const&) {
      auto const way = small_way(p, alignment_of(data, data));
      moved += way.has_value();
      auto const any =
          inplace_candidate_of(canonical(permutation(p.shape, {}, p.axes, p.element_size)), alignment_of(data, data));
      host::run(way ? way->steps : any.value().steps, {.destination = data});
    });
  });
  EXPECT_GT(moved, test::is_slowed() ? 15 : 100);
}

/// The plan of a batch whose arrays are small is a kernel with several of them in a block.
TEST(small_arrays, are_planned_in_one_pass) {
  auto const planned = [](test::square_problem const& p) {
    auto const way = inplace_candidate_of(canonical(permutation(p.shape, {}, p.axes, p.element_size)), {}, h200_model(), 0);
    EXPECT_TRUE(way && way->steps.size() == 1);
    return way && (std::holds_alternative<gather_plan>(way->steps[0].kernel) ||
                   std::holds_alternative<tiled_plan>(way->steps[0].kernel));
  };
  EXPECT_TRUE(planned({{1'000'000, 24, 16}, {0, 2, 1}, 4}));
  EXPECT_TRUE(planned({{1'000'000, 7, 5}, {0, 2, 1}, 4}));
  EXPECT_TRUE(planned({{100'000, 15, 24}, {0, 2, 1}, 1}));
  EXPECT_FALSE(planned({{1000, 240, 160}, {0, 2, 1}, 4})) << "larger arrays are panels";
  EXPECT_FALSE(small_way({{24, 16}, {1, 0}, 4}, {})) << "an array that is no batch";
}

}  // namespace
}  // namespace cornerturn
