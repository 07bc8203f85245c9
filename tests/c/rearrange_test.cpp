#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <numeric>
#include <string>

#include "cornerturn/cornerturn.h"

namespace cornerturn {
namespace {

TEST(rearrange_in_c, moves_by_a_pattern) {
  std::array<int, 12> source, result{};
  std::iota(source.begin(), source.end(), 0);
  std::int64_t const shape[] = {2, 6};
  cornerturn_axis_length const lengths[] = {{"q", 2}};
  cornerturn_rearrangement call = CORNERTURN_REARRANGEMENT_INIT("a (b q) -> (b q a)", 2, shape);
  call.length_count = 1;
  call.lengths = lengths;
  std::int32_t rank = 0;
  std::array<std::int64_t, 64> result_shape{};
  ASSERT_EQ(cornerturn_rearranged_shape(&call, &rank, result_shape.data()), CORNERTURN_OK) << cornerturn_last_error();
  EXPECT_EQ(rank, 1);
  EXPECT_EQ(result_shape[0], 12);
  ASSERT_EQ(cornerturn_rearrange(source.data(), result.data(), &call, cornerturn_bytes(sizeof(int)), nullptr, nullptr),
            CORNERTURN_OK)
      << cornerturn_last_error();
  EXPECT_EQ(result, (std::array<int, 12>{0, 6, 1, 7, 2, 8, 3, 9, 4, 10, 5, 11}));
}

TEST(rearrange_in_c, pads_crops_and_packs) {
  std::array<std::uint8_t, 3> const source{0x21, 0x43, 0x65};  // elements 1 to 6, of four bits each
  std::array<std::uint8_t, 4> result{};
  std::array<std::uint8_t, 3> back{};
  std::uint8_t const pad = 0xF;
  std::int64_t const shape[] = {6}, tiles[] = {4, 2};
  cornerturn_axis_length const lengths[] = {{"q", 4}};
  cornerturn_rearrangement call = CORNERTURN_REARRANGEMENT_INIT("(p q) -> q p", 1, shape);
  call.length_count = 1;
  call.lengths = lengths;
  call.pad = &pad;
  call.bits = 4;
  ASSERT_EQ(cornerturn_rearrange(source.data(), result.data(), &call, cornerturn_bytes(1), nullptr, nullptr), CORNERTURN_OK)
      << cornerturn_last_error();
  EXPECT_EQ(result, (std::array<std::uint8_t, 4>{0x51, 0x62, 0xF3, 0xF4}));
  cornerturn_rearrangement inverse = CORNERTURN_REARRANGEMENT_INIT("q p -> (p q)", 2, tiles);
  inverse.result_shape = shape;
  inverse.bits = 4;
  ASSERT_EQ(cornerturn_rearrange(result.data(), back.data(), &inverse, cornerturn_bytes(1), nullptr, nullptr), CORNERTURN_OK)
      << cornerturn_last_error();
  EXPECT_EQ(back, source);
  inverse.big = 1;
  std::array<std::uint8_t, 3> swapped{};
  ASSERT_EQ(cornerturn_rearrange(result.data(), swapped.data(), &inverse, cornerturn_bytes(1), nullptr, nullptr), CORNERTURN_OK);
  EXPECT_NE(swapped, source);
}

TEST(rearrange_in_c, swizzles_tiles) {
  std::array<std::uint8_t, 256> source, result{}, back{};
  std::iota(source.begin(), source.end(), std::uint8_t(0));
  std::int64_t const shape[] = {8, 32};
  cornerturn_rearrangement call = CORNERTURN_REARRANGEMENT_INIT("m k -> | m k", 2, shape);
  call.swizzle = "Sw<1,4,3>";
  ASSERT_EQ(cornerturn_rearrange(source.data(), result.data(), &call, cornerturn_bytes(1), nullptr, nullptr), CORNERTURN_OK)
      << cornerturn_last_error();
  for (std::size_t i = 0; i < source.size(); ++i) EXPECT_EQ(result[i], i ^ (i / 128 % 2 * 16));
  call.pattern = "| m k -> m k";
  call.source_swizzle = call.swizzle, call.swizzle = nullptr;
  ASSERT_EQ(cornerturn_rearrange(result.data(), back.data(), &call, cornerturn_bytes(1), nullptr, nullptr), CORNERTURN_OK)
      << cornerturn_last_error();
  EXPECT_EQ(back, source);
}

TEST(rearrange_in_c, names_what_is_wrong) {
  std::int64_t const shape[] = {2, 6};
  auto const said = [](cornerturn_rearrangement const* call) {
    std::int32_t rank = 0;
    std::int64_t result_shape[64];
    EXPECT_EQ(cornerturn_rearranged_shape(call, &rank, result_shape), CORNERTURN_BAD_ARGUMENT);
    return std::string(cornerturn_last_error());
  };
  EXPECT_EQ(said(nullptr), "rearrangement is null; it must be an address");
  cornerturn_rearrangement call = CORNERTURN_REARRANGEMENT_INIT("a b -> a", 2, shape);
  EXPECT_EQ(said(&call), "pattern is 'a b -> a'; it must have the same axes on both sides, unlike 'b' at index 2");
  call.pattern = nullptr;
  EXPECT_EQ(said(&call), "rearrangement.pattern is null; it must be an address");
  call.length_count = 1;
  call.pattern = "a b -> b a";
  EXPECT_EQ(said(&call), "rearrangement.lengths is null; it must be an address");
  call.length_count = -1;
  EXPECT_EQ(said(&call), "rearrangement.length_count is -1; it must be 0 or more");
  call.size = 3;
  EXPECT_EQ(said(&call).substr(0, 29), "rearrangement.size is 3; it m");
}

}  // namespace
}  // namespace cornerturn
