#include "cpu/swap/plan.hpp"

#include <gtest/gtest.h>

#include <cstdint>

#include "problem/canonical.hpp"
#include "support/inplace.hpp"
#include "support/targets.hpp"

namespace cornerturn {
namespace {

class cpu_swaps : public test::on_each_target {};

void swap_on_cpu(std::byte* data, test::square_problem const& given) {
  auto const all = exchange_of(canonical(permutation(given.shape, {}, given.axes, given.element_size)));
  ASSERT_TRUE(all);
  cpu::run(plan_cpu_swap(*all), data, data);
}

/// A square of two tiles or more, the last of which has a few runs. Rows are whole cache lines, and begin anywhere in them.
TEST_P(cpu_swaps, begin_anywhere_within_a_cache_line) {
  struct {
    std::int64_t size, extent;
  } constexpr kCases[] = {{1, 576}, {2, 544}, {4, 528}, {8, 328}, {16, 132}};
  for (auto const& [size, extent] : kCases)
    for (std::size_t const into_line : {0, 1, 7, 8, 16, 24, 32, 40, 48, 52, 56, 63})
      for (auto const where : {test::guarded::beside::first, test::guarded::beside::last}) {
        test::check_inplace_guarded(test::squares_with(1, extent, 1, 1, size), where, into_line, swap_on_cpu);
        if (HasFatalFailure()) return;
      }
}

INSTANTIATE_TEST_SUITE_P(instructions, cpu_swaps, testing::ValuesIn(test::cpu_targets()), test::target_name);

}  // namespace
}  // namespace cornerturn
