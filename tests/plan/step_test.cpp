#include "plan/step.hpp"

#include <gtest/gtest.h>

#include <array>
#include <stdexcept>

#include "engine/host/host.hpp"
#include "plan/candidate.hpp"

namespace cornerturn {
namespace {

/// Copies 8 elements to the workspace, and transposes them from there as a 2 x 4 matrix.
candidate by_way_of_the_workspace() {
  auto result = single_step(plan_rung(rung::copy, {.rows = 1, .cols = 8}, 4, {}));
  result.steps.push_back({plan_rung(rung::vec_both, {.rows = 2, .cols = 4, .source_pitch = 4, .destination_pitch = 2}, 4, {})});
  result.steps.front().destination = {buffer_role::workspace, 16};
  result.steps.back().source = {buffer_role::workspace, 16};
  result.workspace_bytes = 16 + 32;
  return result;
}

TEST(steps, run_one_after_another_by_way_of_the_workspace) {
  alignas(16) std::array<int, 8> const source{0, 1, 2, 3, 4, 5, 6, 7};
  alignas(16) std::array<int, 8> result{};
  alignas(16) std::array<int, 12> workspace{};
  host::run(by_way_of_the_workspace().steps, {source.data(), result.data(), workspace.data()});
  EXPECT_EQ(result, (std::array{0, 4, 1, 5, 2, 6, 3, 7}));
  EXPECT_EQ(workspace, (std::array{0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7}));
}

TEST(steps, need_the_buffers_that_they_use) {
  std::array<int, 8> const source{};
  std::array<int, 8> result{};
  EXPECT_THROW(host::run(by_way_of_the_workspace().steps, {source.data(), result.data()}), std::logic_error);
}

TEST(steps, are_not_taken_for_a_single_one) {
  EXPECT_THROW(only_step(by_way_of_the_workspace()), std::logic_error);
  EXPECT_NO_THROW(only_step(single_step(rung_plan{})));
}

TEST(steps, are_described_in_their_order_with_the_workspace) {
  auto const plan = by_way_of_the_workspace();
  EXPECT_EQ(describe(plan), describe(plan.steps[0]) + "; then " + describe(plan.steps[1]) + "; workspace of 48 bytes");
}

}  // namespace
}  // namespace cornerturn
