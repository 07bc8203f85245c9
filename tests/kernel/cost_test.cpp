#include "kernel/cost.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "engine/host/host.hpp"
#include "explain/requests.hpp"
#include "plan/choose.hpp"
#include "problem/canonical.hpp"
#include "problem/permuted.hpp"
#include "problem/print.hpp"

namespace cornerturn {
namespace {

/// Sectors and wavefronts of a launch.
struct recorded_counts {
  double sectors = 0, wavefronts = 0;
};

recorded_counts count(gather_plan const& plan) {
  recording record{.addresses_only = true, .accesses = {}};
  host::run(plan, reinterpret_cast<void const*>(std::uintptr_t(1) << 40), reinterpret_cast<void*>(std::uintptr_t(1) << 41),
            &record);
  recorded_counts result;
  for (auto const& each : requests_of(record))
    if (each.space() == memory_space::shared)
      result.wavefronts += wavefronts(each);
    else
      result.sectors += sectors(each);
  return result;
}

/// What gather's tiles are chosen by is near what the program does. Wavefronts are reckoned from one load of each vector.
TEST(cost, gathers_demand_is_about_what_the_recorder_counts) {
  using list = std::vector<std::int64_t>;
  struct {
    list shape, axes;
  } const cases[] = {{{257, 384}, {1, 0}}, {{256, 384}, {1, 0}}, {{20, 17, 19, 16}, {3, 2, 0, 1}}};
  for (auto const& each : cases)
    for (std::int64_t const size : {1, 2, 4, 8, 16}) {
      auto const simplest = canonical(permutation(each.shape, {}, each.axes, size));
      auto const plan = plan_gather(refit_elements(simplest, {}), {}, {512, 512, 16 << 10});
      auto const demand = demand_of(plan, h200_model());
      auto const seen = count(plan);
      auto const about = [&](double expected, double found, double least, double most) {
        EXPECT_TRUE(expected >= least * found && expected <= most * found)
            << expected << " for " << found << ": " << to_string(simplest) << " by " << describe(plan);
      };
      about(demand.sectors, seen.sectors, 0.7, 1.3);
      about(demand.wavefronts, seen.wavefronts, 0.7, 1.7);
    }
}

rung_plan const* chosen_rung(std::vector<std::int64_t> const& shape, std::vector<std::int64_t> const& axes, std::int64_t size) {
  static candidate chosen;
  chosen = candidates_of(canonical(permutation(shape, {}, axes, size)), {}).front();
  return std::get_if<rung_plan>(&chosen.steps.front().kernel);
}

/// Timed on an H200: 64x64 takes 1.3 times as long as 128x128 where rows begin within sectors.
TEST(cost, narrow_tiles_are_for_rows_that_begin_with_sectors) {
  for (std::int64_t const extent : {8200, 8192}) {
    auto const* const rung = chosen_rung({extent, extent}, {1, 0}, 2);
    ASSERT_TRUE(rung) << extent;
    EXPECT_EQ(std::min(rung->tile.rows, rung->tile.cols), 128) << extent;
  }
}

/// Timed on an H200: threads that have nothing to move cost a fourteenth of what those that have cost.
TEST(cost, a_tile_may_stand_out_of_a_narrow_matrix) {
  auto const* const rung = chosen_rung({220, 136, 1000}, {0, 2, 1}, 4);
  ASSERT_TRUE(rung);
  EXPECT_EQ(rung->kernel, rung::vec_both);
}

}  // namespace
}  // namespace cornerturn
