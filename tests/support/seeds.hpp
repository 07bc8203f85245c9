#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <string>

namespace cornerturn::test {

/// Calls body(seed) for `count` seeds from 0 up, and for more until `share` times the seconds in CORNERTURN_FUZZ_SECONDS have
/// passed; only for CORNERTURN_SEED where that is set. Stops at the first seed that fails and prints the command that repeats it.
/// A run for one set of instructions (support/one_target.cpp) has a quarter of the seeds.
template <class Body>
void for_each_seed(unsigned count, Body const& body, int share = 1) {
  using clock = std::chrono::steady_clock;
  char const* const only = std::getenv("CORNERTURN_SEED");
  char const* const seconds = std::getenv("CORNERTURN_FUZZ_SECONDS");
  if (std::getenv("CORNERTURN_TEST_TARGET")) count = (count + 3) / 4;
  auto const end = clock::now() + std::chrono::seconds(seconds ? share * std::atoi(seconds) : 0);
  unsigned const first = only ? std::atoi(only) : 0;
  for (unsigned seed = first; only || seed < count || clock::now() < end; ++seed) {
    body(seed);
    if (testing::Test::HasFailure()) {
      auto const* const test = testing::UnitTest::GetInstance()->current_test_info();
      FAIL() << "to repeat: CORNERTURN_SEED=" << seed << " cornerturn_tests --gtest_filter=" << test->test_suite_name() << '.'
             << test->name();
    }
    if (only) return;
  }
}

}  // namespace cornerturn::test
