#include "problem/describe.hpp"

#include <gtest/gtest.h>

namespace cornerturn {
namespace {

TEST(describe, says_shape_and_strides_as_numpy_does) {
  EXPECT_EQ(describe(problem{.modes = {{3, -1, 4}, {4, -3, 1}}, .element_size = 4}),
            "shape (3, 4), byte strides (-4, -12) to (16, 4), elements of 4 bytes");
  EXPECT_EQ(describe(problem{.modes = {}, .element_size = 16}), "shape (), byte strides () to (), elements of 16 bytes");
}

TEST(describe, says_offsets_and_sizes_that_differ) {
  EXPECT_EQ(describe(problem{.modes = {{5, 1, 2}}, .element_size = {8, 4}, .source_offset = -7, .destination_offset = 2}),
            "shape (5,), byte strides (8,) to (8,), byte offsets -56 to 8, elements of 4 bytes from 8");
}

TEST(describe, says_where_scale_and_bias_are) {
  EXPECT_EQ(describe(problem{.modes = {{3, 1, 4, 0}, {4, 3, 1, 1}}, .factor_offset = 2}),
            "shape (3, 4), byte strides (1, 3) to (4, 1), strides (0, 1) of scale and bias from element 2, elements of 1 byte");
}

}  // namespace
}  // namespace cornerturn
