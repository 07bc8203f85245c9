#include "base/divisors.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "support/expect_work.hpp"

namespace cornerturn {
namespace {

TEST(divisors_of, are_those_up_to_a_limit) {
  for (std::int64_t number = 1; number < 700; ++number)
    for (std::int64_t const most : {1, 2, 7, 30, 1000}) {
      std::vector<std::int64_t> expected;
      for (std::int64_t each = 1; each <= std::min(number, most); ++each)
        if (number % each == 0) expected.push_back(each);
      EXPECT_EQ(divisors_of(number, most), expected) << number << " up to " << most;
    }
}

TEST(divisors_of, are_found_for_large_numbers) {
  EXPECT_EQ(divisors_of(1'000'000'007, 30'000), std::vector<std::int64_t>{1});
  EXPECT_EQ(divisors_of(std::int64_t(3) << 40, 9), (std::vector<std::int64_t>{1, 2, 3, 4, 6, 8}));
  EXPECT_EQ(divisors_of(2 * std::int64_t(1'000'003), 2'000'000), (std::vector<std::int64_t>{1, 2, 1'000'003}));
}

TEST(divisors_of, are_found_with_bounded_work) {
  constexpr std::int64_t kPrime = (std::int64_t(1) << 52) - 47, kTwoPrimes = std::int64_t(4'194'319) * 4'194'329;
  for (auto const& [number, divisors] : {std::pair{kPrime, 1}, {8 * kPrime, 4}, {8 * kTwoPrimes, 4}}) {
    auto const work =
        test::work_of([&] { EXPECT_EQ(std::ssize(divisors_of(number, std::int64_t(1) << 26)), divisors) << number; });
    EXPECT_LE(work.factors, (1 << 21) + 1) << number;
  }
  EXPECT_EQ(divisors_of(kTwoPrimes, kTwoPrimes), (std::vector<std::int64_t>{1, kTwoPrimes}));
}

}  // namespace
}  // namespace cornerturn
