#include "measure/clock.hpp"

#include <gtest/gtest.h>

#include "support/fake_clock.hpp"

namespace cornerturn {
namespace {

/// What is measured of some work, and how often it ran.
struct measured_work {
  double seconds;
  int runs;
};

measured_work measured(double seconds_of_run) {
  test::fake_clock clock;
  measured_work result{0, 0};
  result.seconds = seconds_of([&] {
    clock.advance(seconds_of_run);
    ++result.runs;
  });
  return result;
}

TEST(seconds_of, is_the_time_of_one_run) {
  for (double const each : {2.0, 1e-3, 1e-4, 1e-6}) EXPECT_DOUBLE_EQ(measured(each).seconds, each);
}

TEST(seconds_of, repeats_short_work) {
  EXPECT_EQ(measured(2).runs, 1);
  EXPECT_EQ(measured(1e-3).runs, 1);
  EXPECT_EQ(measured(0.9e-4).runs, 1 + 5);
  EXPECT_EQ(measured(0).runs, 1 + 1000);
}

}  // namespace
}  // namespace cornerturn
