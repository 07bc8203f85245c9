#include "engine/cpu/stopwatch.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <vector>

#include "engine/cpu/cpu.hpp"
#include "plan/cpu_candidates.hpp"
#include "problem/canonical.hpp"
#include "problem/element_types.hpp"
#include "problem/permuted.hpp"
#include "problem/validate.hpp"
#include "support/slowed.hpp"

namespace cornerturn {
namespace {

/// The least of a few times that the stopwatch takes of the first candidate.
double timed(problem const& p) {
  auto const each = cpu_candidates_of(canonical(p)).front();
  auto const time = cpu::make_stopwatch(source_range(p), destination_range(p));
  double least = time(each);
  for (int i = 0; i < 5; ++i) least = std::min(least, time(each));
  return least;
}

problem transposed(std::int64_t side) { return permutation(std::vector{side, side}, {}, std::vector<std::int64_t>{1, 0}, 4); }

TEST(cpu_stopwatch, tells_what_a_run_takes) {
  if (test::kSlowed) GTEST_SKIP() << "times mean nothing under sanitizers and emulators";
  double const small = timed(transposed(8)), medium = timed(transposed(256));
  EXPECT_GT(small, 1e-9);
  EXPECT_LT(small, 1e-5);
  EXPECT_GT(medium, 10 * small);
  EXPECT_LT(medium, 5e-3);
}

TEST(cpu_stopwatch, times_a_part_of_what_is_large) {
  if (test::kSlowed) GTEST_SKIP() << "times mean nothing under sanitizers and emulators";
  float const bias = 1;
  auto const changed = [&](problem const& p, std::vector<std::int64_t> const& factor_strides) {
    return with_operation(p, {.bias = &bias, .factor_strides = factor_strides});
  };
  problem const row{.modes = {{std::int64_t(1) << 34, 1, 1}}, .element_size = 4};
  // Each side has 64 GiB of addresses.
  for (auto const& each : {transposed(1 << 17), changed(transposed(1 << 17), {0, 0}), changed(row, {0})}) {
    auto const start = std::chrono::steady_clock::now();
    double const large = timed(each);
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(30));
    EXPECT_GT(large, 0.3);
    EXPECT_LT(large, 1000);
  }
}

TEST(cpu_stopwatch, reaches_memory_on_either_side_of_the_first_element) {
  problem const backwards{.modes = {{300, -1, 500}, {500, 300, 1}}, .element_size = 4, .source_offset = 0};
  EXPECT_GT(timed(backwards), 0);
}

}  // namespace
}  // namespace cornerturn
