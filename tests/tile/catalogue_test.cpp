#include "kernel/rung/catalogue.hpp"

#include <gtest/gtest.h>

#include <utility>

namespace cornerturn {
namespace {

TEST(catalogue, has_the_rungs_in_the_order_of_their_numbers) {
  for (auto const& each : kRungs) {
    EXPECT_EQ(info_of(each.id).id, each.id) << each.name;
    EXPECT_EQ(rung_named(each.name), each.id) << each.name;
  }
  auto swapped = kRungs;
  std::swap(swapped[3], swapped[4]);
  EXPECT_FALSE(detail::are_in_order(swapped));
}

}  // namespace
}  // namespace cornerturn
