#include "measure/statistics.hpp"

#include <gtest/gtest.h>

namespace cornerturn {
namespace {

// What numpy.quantile says of the same samples.
TEST(statistics, quantiles_are_numpys) {
  std::vector<double> const five{15, 20, 35, 40, 50}, six{3.1, 0.2, 9.7, 4.4, 1.5, 2.6};
  EXPECT_DOUBLE_EQ(quantile(five, 0.05), 16);
  EXPECT_DOUBLE_EQ(quantile(five, 0.3), 23);
  EXPECT_DOUBLE_EQ(quantile(five, 0.4), 29);
  EXPECT_DOUBLE_EQ(quantile(five, 0.5), 35);
  EXPECT_DOUBLE_EQ(quantile(six, 0.1), 0.85);
  EXPECT_DOUBLE_EQ(quantile(six, 0.25), 1.775);
  EXPECT_DOUBLE_EQ(quantile(six, 0.9), 7.05);
  EXPECT_DOUBLE_EQ(quantile({1e9, -2, 7}, 0.25), 2.5);
}

TEST(statistics, the_ends_are_the_extremes) {
  std::vector<double> const samples{3.1, 0.2, 9.7, 4.4, 1.5, 2.6};
  EXPECT_EQ(quantile(samples, 0), 0.2);
  EXPECT_EQ(quantile(samples, 1), 9.7);
}

TEST(statistics, one_sample_is_every_quantile) {
  for (double const share : {0.0, 0.25, 0.5, 1.0}) EXPECT_EQ(quantile({7}, share), 7);
  EXPECT_EQ(spread_of({7}).median, 7);
  EXPECT_EQ(spread_of({7}).iqr, 0);
}

TEST(statistics, the_spread_is_the_median_and_the_middle_half) {
  auto const odd = spread_of({40, 15, 50, 20, 35});
  EXPECT_DOUBLE_EQ(odd.median, 35);
  EXPECT_DOUBLE_EQ(odd.iqr, 20);
  auto const even = spread_of({3.1, 0.2, 9.7, 4.4, 1.5, 2.6});
  EXPECT_DOUBLE_EQ(even.median, 2.85);
  EXPECT_DOUBLE_EQ(even.iqr, 4.075 - 1.775);
}

}  // namespace
}  // namespace cornerturn
