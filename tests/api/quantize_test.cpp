#include "cornerturn/quantize.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

#include "cornerturn/error.hpp"

namespace cornerturn {
namespace {

TEST(quantize_call, refuses_values_that_overlap_the_source) {
  std::vector<float> matrix(64), scales(8);
  auto const into = [&](std::ptrdiff_t bytes) {
    quantize(matrix.data(), element_type::f32, 4, 8, 8, element_type::f8_e4m3fn,
             {reinterpret_cast<std::byte*>(matrix.data()) + bytes, 8, scales.data(), 1, 1}, {});
  };
  EXPECT_THROW(into(0), error);
  EXPECT_THROW(into(127), error);
  EXPECT_NO_THROW(into(128));
}

TEST(quantize_call, of_no_elements_has_an_amax_of_0) {
  for (auto const blocks : {scale_blocks::tensor, scale_blocks::rows, scale_blocks::row_blocks, scale_blocks::squares}) {
    float amax = 7;
    quantize(nullptr, element_type::f32, 0, 8, 8, element_type::f8_e4m3fn, {}, {}, {.blocks = blocks, .amax = &amax});
    EXPECT_EQ(amax, 0);
  }
}

TEST(quantize_call, refuses_that_nothing_is_wanted) {
  std::vector<float> matrix(64);
  EXPECT_THROW(quantize(matrix.data(), element_type::f32, 4, 8, 8, element_type::f8_e4m3fn, {}, {}), error);
}

}  // namespace
}  // namespace cornerturn
