#include <gtest/gtest.h>

#include "cornerturn/text.hpp"

namespace cornerturn {
namespace {

TEST(edit_distance, counts_each_kind_of_error_once) {
  EXPECT_EQ(edit_distance("axes", "axes"), 0u);
  EXPECT_EQ(edit_distance("axs", "axes"), 1u);
  EXPECT_EQ(edit_distance("axees", "axes"), 1u);
  EXPECT_EQ(edit_distance("axis", "axes"), 1u);
  EXPECT_EQ(edit_distance("aexs", "axes"), 1u);
  EXPECT_EQ(edit_distance("AXES", "axes"), 0u);
}

TEST(edit_distance, is_symmetric_and_adds_up) {
  EXPECT_EQ(edit_distance("", ""), 0u);
  EXPECT_EQ(edit_distance("", "tune"), 4u);
  EXPECT_EQ(edit_distance("tune", ""), 4u);
  EXPECT_EQ(edit_distance("turn", "tune"), 2u);
  EXPECT_EQ(edit_distance("tune", "turn"), 2u);
  EXPECT_EQ(edit_distance("trnaspoes", "transpose"), 2u);
  EXPECT_EQ(edit_distance("vec-best", "vec-both"), 3u);
}

}  // namespace
}  // namespace cornerturn
