#include "measure/ladder_rows.hpp"

#include <gtest/gtest.h>

namespace cornerturn {
namespace {

TEST(ladder_rows, times_are_those_of_the_verified_rows) {
  ladder_run run{.rows = 3, .cols = 4};
  EXPECT_TRUE(add_row(run, {.name = "memcpy"}, 0));
  EXPECT_FALSE(add_row(run, {.name = "wrong"}, 5));
  run.rungs.push_back({.name = "unavailable"});
  EXPECT_TRUE(add_row(run, {.name = "right"}, 0));
  EXPECT_EQ(run.rungs[1].reason, "5 of 12 elements are wrong");
  EXPECT_EQ(run.rungs[1].result, ladder_row::outcome::wrong);

  set_times(run, {{2, 2, 2}, {4, 5, 3}}, 1'000'000);
  EXPECT_EQ(run.memcpy_gbs, 1);
  EXPECT_EQ(run.rungs[3].median_ms, 4);
  EXPECT_EQ(run.rungs[3].ratio, 0.5);
  for (int const untimed : {1, 2}) EXPECT_EQ(run.rungs[std::size_t(untimed)].ratio, 0);
}

}  // namespace
}  // namespace cornerturn
