#include "machine/gpu_model.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "api/explain_plan.hpp"
#include "cornerturn/plan.hpp"
#include "plan/choose.hpp"
#include "plan/prepared.hpp"
#include "problem/canonical.hpp"
#include "problem/permuted.hpp"

namespace cornerturn {
namespace {

gpu_attributes invented() {
  auto card = h200_model().limits;
  card.name = "Invented 1";
  return card;
}

std::vector<problem> some_problems() {
  using list = std::vector<std::int64_t>;
  struct {
    list shape, axes;
  } const cases[] = {{{8192, 8192}, {1, 0}},           {{257, 384}, {1, 0}},   {{64, 224, 224, 3}, {0, 3, 1, 2}},
                     {{1 << 22, 3}, {1, 0}},           {{8191, 8193}, {1, 0}}, {{100, 64, 64}, {0, 2, 1}},
                     {{20, 17, 19, 16}, {3, 2, 0, 1}}, {{1 << 26}, {0}}};
  std::vector<problem> all;
  for (auto const& each : cases)
    for (std::int64_t const size : {1, 2, 4, 8, 16}) all.push_back(canonical(permutation(each.shape, {}, each.axes, size)));
  return all;
}

double least_seconds(problem const& p, gpu_model const& gpu) { return candidates_of(p, {}, gpu).front().seconds; }

/// The plan that a device of this model gets, as it describes itself.
std::string described(problem const& p, gpu_model const& gpu) {
  auto chosen = candidates_of(p, {}, gpu).front();
  chosen.why = "estimated to be the fastest";
  return permutation_plan(std::make_shared<prepared_plan const>(prepared_plan{.simplest = p,
                                                                              .read = source_range(p),
                                                                              .written = destination_range(p),
                                                                              .device = 0,
                                                                              .device_name = gpu.limits.name,
                                                                              .chosen = chosen}))
      .describe();
}

TEST(gpu_model, of_a_known_gpu_is_its_own) {
  EXPECT_EQ(std::ranges::count(known_gpus(), "an H200", &gpu_model::name), 1);
  for (auto const& known : known_gpus()) {
    auto card = known.limits;
    card.clock_hz /= 2;  // a card that is set to a lower clock is still this GPU
    EXPECT_FALSE(model_for(card).is_scaled) << known.name;
    EXPECT_EQ(model_for(card).name, known.name);
  }
}

/// Another card with an H200's attributes is as fast as an H200, to the last bit.
TEST(gpu_model, scaled_by_one_changes_no_estimate) {
  auto const scaled = model_for(invented());
  EXPECT_TRUE(scaled.is_scaled);
  for (auto const& p : some_problems()) {
    auto const own = candidates_of(p, {}, scaled), known = candidates_of(p, {});
    ASSERT_EQ(own.size(), known.size());
    for (std::size_t i = 0; i < own.size(); ++i) {
      EXPECT_EQ(own[i].seconds, known[i].seconds);
      EXPECT_EQ(describe(own[i]), describe(known[i]));
    }
  }
}

TEST(gpu_model, with_fewer_sms_and_less_bandwidth_takes_longer) {
  auto fewer = invented(), narrower = invented(), both = invented();
  fewer.sm_count = both.sm_count = 40;
  narrower.memory_bytes_per_second = both.memory_bytes_per_second = 0.9e12;
  for (auto const& p : some_problems()) {
    double const known = least_seconds(p, h200_model());
    EXPECT_GE(least_seconds(p, model_for(narrower)), known);
    EXPECT_GT(least_seconds(p, model_for(both)), known);
  }
  auto const copy = canonical({.modes = {{1 << 30, 1, 1}}});
  EXPECT_GT(least_seconds(copy, model_for(narrower)), 4 * least_seconds(copy, h200_model()));
  // Gathering single bytes is limited by instructions, so by the number of SMs.
  auto const bytes =
      canonical(permutation(std::vector<std::int64_t>{50, 24, 26, 13, 51}, {}, std::vector<std::int64_t>{4, 0, 3, 1, 2}, 1));
  EXPECT_GT(least_seconds(bytes, model_for(fewer)), 2 * least_seconds(bytes, h200_model()));
}

/// CUDA reports a memory clock of 0 on some devices, whose memory is the host's.
TEST(gpu_model, without_a_bandwidth_goes_by_the_number_of_sms) {
  auto card = invented();
  card.sm_count = 33, card.memory_bytes_per_second = 0, card.l2_bytes = 0;
  auto const model = model_for(card);
  EXPECT_DOUBLE_EQ(model.copies.bytes_per_second, h200_model().copies.bytes_per_second / 4);
  EXPECT_DOUBLE_EQ(model.cached_bytes, h200_model().cached_bytes / 4);
  EXPECT_DOUBLE_EQ(model.write_window_bytes, h200_model().write_window_bytes / 4);
  EXPECT_DOUBLE_EQ(model.small.blocks, h200_model().small.blocks / 4);
}

/// CUDA answers 0 for an attribute that a device does not have. Estimates stay finite without any of them.
TEST(gpu_model, without_attributes_gives_finite_estimates) {
  auto const unknown = model_for({.name = "Invented 2"});
  EXPECT_EQ(unknown.limits.sm_count, h200_model().limits.sm_count);
  for (auto const& p : some_problems())
    for (auto const& each : candidates_of(p, {}, unknown))
      EXPECT_TRUE(std::isfinite(each.seconds) && each.seconds > 0) << describe(each);
}

TEST(gpu_model, is_told_where_it_is_scaled) {
  auto const p = canonical(permutation(std::vector<std::int64_t>{300, 200}, {}, std::vector<std::int64_t>{1, 0}, 4));
  auto const scaled = model_for(invented());
  auto const said = described(p, scaled), known = described(p, h200_model());
  EXPECT_NE(said.find("on device 0 (Invented 1)"), std::string::npos) << said;
  EXPECT_NE(said.find(" us expected by a model scaled from an H200; estimated"), std::string::npos) << said;
  EXPECT_NE(known.find(" us expected; estimated"), std::string::npos) << known;

  auto const explained = report_of(explain_candidate(candidates_of(p, {}, scaled).front(), p, scaled, 256, 256));
  EXPECT_NE(explained.find("predicted (model of Invented 1, scaled from an H200): "), std::string::npos) << explained;
}

}  // namespace
}  // namespace cornerturn
