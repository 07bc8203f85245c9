#include "tile/fast_divmod.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

namespace cornerturn {
namespace {

constexpr std::int64_t kMostDividend = std::numeric_limits<int>::max();

void expect_exact(fast_divmod const& divide, std::int64_t dividend) {
  if (dividend < 0 || dividend > kMostDividend) return;
  int quotient = int(dividend), remainder = 0;
  divide(quotient, remainder, quotient);
  ASSERT_EQ(quotient, dividend / divide.divisor) << dividend << " / " << divide.divisor;
  ASSERT_EQ(remainder, dividend % divide.divisor) << dividend << " % " << divide.divisor;
}

/// Quotients change only at multiples of the divisor, so a wrong multiplier would show at these and at their neighbours.
void expect_exact_at_edges(std::int64_t divisor) {
  fast_divmod const divide{int(divisor)};
  std::int64_t const last = kMostDividend / divisor;
  for (std::int64_t multiple : {std::int64_t(0), std::int64_t(1), std::int64_t(2), last / 2, last - 1, last})
    for (std::int64_t beside = -1; beside <= 1; ++beside) expect_exact(divide, multiple * divisor + beside);
  for (std::int64_t dividend = kMostDividend - 2; dividend <= kMostDividend; ++dividend) expect_exact(divide, dividend);
}

TEST(fast_divmod, is_exact_for_small_divisors_and_all_neighbours_of_powers_of_two) {
  for (std::int64_t divisor = 1; divisor <= 100'000; ++divisor) expect_exact_at_edges(divisor);
  for (int bits = 17; bits <= 31; ++bits)
    for (std::int64_t divisor = (std::int64_t(1) << bits) - 1000; divisor <= (std::int64_t(1) << bits) + 1000; ++divisor)
      if (divisor <= kMostDividend) expect_exact_at_edges(divisor);
}

TEST(fast_divmod, is_exact_at_every_multiple) {
  for (std::int64_t const divisor : {1, 2, 3, 7, 641, 10'007, 65'535, 65'537})
    for (std::int64_t at = 0; at <= kMostDividend; at += divisor < 641 ? 100'003 * divisor : divisor) {
      expect_exact(fast_divmod{int(divisor)}, at - 1);
      expect_exact(fast_divmod{int(divisor)}, at);
    }
}

}  // namespace
}  // namespace cornerturn
