#include "engine/cpu/stopwatch.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "engine/cpu/cpu.hpp"
#include "plan/cpu_candidates.hpp"
#include "problem/canonical.hpp"
#include "problem/element_types.hpp"
#include "problem/permuted.hpp"
#include "problem/validate.hpp"
#include "support/fake_clock.hpp"

namespace cornerturn {
namespace {

constexpr double kRun = 1;  ///< seconds that each run takes by the clock here

/// The time that the stopwatch tells of the first candidate.
double timed(problem const& p) {
  test::fake_clock const clock(kRun);
  auto const each = cpu_candidates_of(canonical(p)).front();
  auto const time = cpu::make_stopwatch(source_range(p), destination_range(p));
  return time(each);
}

problem transposed(std::int64_t side) { return permutation(std::vector{side, side}, {}, std::vector<std::int64_t>{1, 0}, 4); }

TEST(cpu_stopwatch, tells_what_a_run_takes) {
  EXPECT_DOUBLE_EQ(timed(transposed(8)), kRun);
  EXPECT_DOUBLE_EQ(timed(transposed(256)), kRun);
}

TEST(cpu_stopwatch, times_a_part_of_what_is_large) {
  float const bias = 1;
  auto const changed = [&](problem const& p, std::vector<std::int64_t> const& factor_strides) {
    return with_operation(p, {.bias = &bias, .factor_strides = factor_strides});
  };
  problem const row{.modes = {{std::int64_t(1) << 34, 1, 1}}, .element_size = 4};
  // Each side has 64 GiB of addresses, and a part has up to 16 MiB.
  for (auto const& each : {transposed(1 << 17), changed(transposed(1 << 17), {0, 0}), changed(row, {0})}) {
    EXPECT_GE(timed(each), 4096 * kRun);
    EXPECT_LT(timed(each), 8192 * kRun);
  }
}

TEST(cpu_stopwatch, reaches_memory_on_either_side_of_the_first_element) {
  problem const backwards{.modes = {{300, -1, 500}, {500, 300, 1}}, .element_size = 4, .source_offset = 0};
  EXPECT_DOUBLE_EQ(timed(backwards), kRun);
}

}  // namespace
}  // namespace cornerturn
