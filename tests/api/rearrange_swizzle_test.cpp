#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cute/swizzle_layout.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "cornerturn/rearrange.hpp"
#include "support/iota.hpp"
#include "support/message.hpp"

namespace cornerturn {
namespace {

using test::message_of;

/// Compares matrices in tiles of Rows x Cols elements with CuTe's swizzled tiles, and what they become without the swizzle.
template <class T, int B, int M, int S, int Rows, int Cols>
void expect_tiles_of_cute(std::int64_t rows, std::int64_t columns) {
  using namespace cute;
  auto const atom = composition(
      Swizzle<B, M, S>{}, Layout<Shape<Int<Rows>, Int<Cols* int(sizeof(T))>>, Stride<Int<Cols* int(sizeof(T))>, _1>>{});  // bytes
  auto const text = fmt::format("Sw<{},{},{}>", B, M, S);
  auto const source = test::iota<T>(rows * columns);
  std::vector<T> tiles(source.size()), back(source.size());
  std::vector<axis_length> const lengths{{"a", Rows}, {"b", Cols}};
  rearrange(source.data(), tiles.data(), "(m a) (k b) -> m k | a b", {rows, columns}, sizeof(T), lengths, {.swizzle = text});
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < columns; ++j) {
      auto const tile = (i / Rows * (columns / Cols) + j / Cols) * Rows * Cols;
      auto const within = atom(int(i % Rows), int(j % Cols) * int(sizeof(T))) / int(sizeof(T));
      ASSERT_EQ(tiles[std::size_t(tile + within)], source[std::size_t(i * columns + j)]) << text << " " << i << ", " << j;
    }
  rearrange(tiles.data(), back.data(), "m k | a b -> (m a) (k b)", {rows / Rows, columns / Cols, Rows, Cols}, sizeof(T), {},
            {.source_swizzle = text});
  EXPECT_EQ(back, source) << text;
}

TEST(rearrange_swizzle, tiles_are_those_of_cute) {
  expect_tiles_of_cute<std::uint16_t, 3, 4, 3, 8, 64>(24, 192);   // rows of 128 bytes
  expect_tiles_of_cute<std::uint16_t, 2, 4, 3, 8, 32>(24, 96);    // of 64 bytes
  expect_tiles_of_cute<std::uint16_t, 1, 4, 3, 8, 16>(16, 48);    // of 32 bytes
  expect_tiles_of_cute<std::uint8_t, 3, 4, 3, 64, 128>(64, 256);  // more rows than the swizzle has
  expect_tiles_of_cute<std::uint32_t, 3, 4, 3, 6, 32>(12, 64);    // fewer rows
  expect_tiles_of_cute<std::uint64_t, 3, 4, 3, 1, 16>(2, 32);     // one row, which stays
  expect_tiles_of_cute<std::uint32_t, 3, 4, 3, 2, 128>(4, 256);   // rows of 512 bytes
  expect_tiles_of_cute<std::uint16_t, 2, 4, -3, 16, 64>(32, 64);  // flips the higher bits
  expect_tiles_of_cute<std::uint16_t, 2, 5, 4, 48, 64>(96, 64);   // three times as many rows
  expect_tiles_of_cute<std::uint32_t, 5, 4, 5, 8, 512>(8, 512);
}

TEST(rearrange_swizzle, both_sides_may_have_one) {
  auto const source = test::iota<std::uint16_t>(64 * 64);
  std::vector<std::uint16_t> tiles(source.size()), turned(source.size()), wanted(source.size());
  rearrange(source.data(), tiles.data(), "m k -> | m k", {64, 64}, 2, {}, {.swizzle = "Sw<3,4,3>"});
  rearrange(tiles.data(), turned.data(), "| m k -> | k m", {64, 64}, 2, {},
            {.swizzle = "Swizzle<2,4,3>", .source_swizzle = "Sw<3,4,3>"});
  rearrange(source.data(), wanted.data(), "m k -> | k m", {64, 64}, 2, {}, {.swizzle = "Sw<2,4,3>"});
  EXPECT_EQ(turned, wanted);
  EXPECT_NE(turned, source);
}

TEST(rearrange_swizzle, pads_are_in_their_places) {
  auto const source = test::iota<std::uint16_t>(13 * 100);
  std::uint16_t const pad = 7777;
  std::vector<axis_length> const lengths{{"a", 8}, {"b", 64}};
  std::vector<std::uint16_t> whole(16 * 128, pad), wanted(whole.size()), tiles(whole.size()), back(source.size());
  for (std::size_t i = 0; i < 13; ++i)
    for (std::size_t j = 0; j < 100; ++j) whole[i * 128 + j] = source[i * 100 + j];
  rearrange(whole.data(), wanted.data(), "(m a) (k b) -> k m | a b", {16, 128}, 2, lengths, {.swizzle = "Sw<3,4,3>"});
  rearrange(source.data(), tiles.data(), "(m a) (k b) -> k m | a b", {13, 100}, 2, lengths,
            {.pad = &pad, .swizzle = "Sw<3,4,3>"});
  EXPECT_EQ(tiles, wanted);
  rearrange(tiles.data(), back.data(), "k m | a b -> (m a) (k b)", {2, 2, 8, 64}, 2, {},
            {.shape = {13, 100}, .source_swizzle = "Sw<3,4,3>"});
  EXPECT_EQ(back, source);
}

TEST(rearrange_swizzle, acts_on_the_bytes_of_each_side) {
  auto const source = test::iota<std::uint8_t>(8 * 16);
  std::vector<float> tiles(source.size());
  rearrange(source.data(), tiles.data(), "m k -> | m k", {8, 16}, {element_type::u8, element_type::f32}, {},
            {.swizzle = "Sw<1,4,3>"});
  for (std::size_t i = 0; i < source.size(); ++i) EXPECT_EQ(tiles[i ^ (i / 32 % 2 * 4)], float(source[i]));
  std::vector<std::uint8_t> back(source.size());
  rearrange(tiles.data(), back.data(), "| m k -> m k", {8, 16}, {element_type::f32, element_type::u8}, {},
            {.source_swizzle = "Sw<1,4,3>"});
  EXPECT_EQ(back, source);
}

TEST(rearrange_swizzle, packed_elements) {
  std::vector<std::uint8_t> source(256 * 128), turned(source.size()), wanted(source.size()), result(source.size());
  for (std::size_t i = 0; i < source.size(); ++i) source[i] = std::uint8_t(i * 151 + i / 7);
  std::vector<axis_length> const lengths{{"b", 64}};
  for (int const bits : {4, 2, 1}) {
    std::int64_t const columns = 128 * 8 / bits;
    rearrange(source.data(), turned.data(), "m (k b) -> k m b", {256, columns}, 1, lengths, {.bits = bits});
    rearrange(turned.data(), wanted.data(), "bytes -> | bytes", {256 * 128}, 1, {}, {.swizzle = "Sw<3,4,3>"});
    rearrange(source.data(), result.data(), "m (k b) -> | k m b", {256, columns}, 1, lengths,
              {.bits = bits, .swizzle = "Sw<3,4,3>"});
    EXPECT_EQ(result, wanted) << bits;
    std::uint8_t const pad = 1;
    std::vector<axis_length> const tiles{{"a", 128}, {"b", 64}};
    rearrange(source.data(), turned.data(), "(m a) (k b) -> k m a b", {250, columns}, 1, tiles, {.pad = &pad, .bits = bits});
    rearrange(turned.data(), wanted.data(), "bytes -> | bytes", {256 * 128}, 1, {}, {.swizzle = "Sw<3,4,3>"});
    rearrange(source.data(), result.data(), "(m a) (k b) -> | k m a b", {250, columns}, 1, tiles,
              {.pad = &pad, .bits = bits, .swizzle = "Sw<3,4,3>"});
    EXPECT_EQ(result, wanted) << bits;
  }
  EXPECT_EQ(message_of([&] {
              rearrange(source.data(), result.data(), "m k -> | k m", {256, 256}, 1, {}, {.bits = 4, .swizzle = "Sw<3,4,3>"});
            }),
            "swizzle is given; it must be left out for packed elements that are moved one by one");
}

TEST(rearrange_bits, refuses_options_as_other_calls_do) {
  std::vector<std::uint8_t> source(64, 1), result(64, 2);
  auto const before = result;
  auto const told = [&](rearrange_options options) {
    options.bits = 4;
    return message_of([&] { rearrange(source.data(), result.data(), "m k -> k m", {8, 16}, 1, {}, options); });
  };
  EXPECT_EQ(told({.threads = -1}), "threads is -1; it must be 0 or more");
  EXPECT_TRUE(told({.processor = processor_kind::gpu}).starts_with("processor is gpu; it must be cpu or automatic"));
  EXPECT_EQ(result, before);
}

TEST(rearrange_swizzle, strides_beside_the_tiles) {
  auto const source = test::iota<std::uint32_t>(3 * 8 * 32);
  std::vector<std::uint32_t> wanted(source.size()), apart(2000, 0);
  rearrange(source.data(), wanted.data(), "t m k -> t | m k", {3, 8, 32}, 4, {}, {.swizzle = "Sw<3,4,3>"});
  rearrange(source.data(), apart.data() + 1200, "t m k -> t | m k", {3, 8, 32}, 4, {},
            {.destination_strides = {-600, 32, 1}, .swizzle = "Sw<3,4,3>"});
  for (std::ptrdiff_t tile = 0; tile < 3; ++tile)
    EXPECT_TRUE(std::equal(wanted.begin() + tile * 256, wanted.begin() + (tile + 1) * 256, apart.begin() + 1200 - tile * 600));
}

TEST(rearrange_swizzle, names_what_is_wrong) {
  std::vector<std::uint16_t> source(4096), result(4096, 1);
  auto const before = result;
  auto const said = [&](std::string_view pattern, rearrange_options const& options, index_list shape = {64, 64}) {
    return message_of([&] { rearrange(source.data(), result.data(), pattern, shape, 2, {}, options); });
  };
  EXPECT_EQ(said("m k -> m | k |", {}),
            "pattern is 'm k -> m | k |'; it must have at most one | on a side, unlike '|' at index 13");
  EXPECT_EQ(said("m k -> (m | k)", {}),
            "pattern is 'm k -> (m | k)'; it must have | outside parentheses, unlike '|' at index 10");
  EXPECT_EQ(said("m k -> m k|", {}), "pattern is 'm k -> m k|'; it must have axes after |, unlike '|' at index 10");
  EXPECT_EQ(said("m k -> | m k", {.swizzle = "Sw<3,3,3>"}),
            "swizzle is 'Sw<3,3,3>'; it must be one of units of at least 16 bytes and of 1 to 5 bits, e.g. Sw<3,4,3>");
  EXPECT_EQ(said("m k -> | m k", {.swizzle = "Sw<6,4,6>"}),
            "swizzle is 'Sw<6,4,6>'; it must be one of units of at least 16 bytes and of 1 to 5 bits, e.g. Sw<3,4,3>");
  EXPECT_EQ(said("m k -> | m k", {.swizzle = "Sw<0,4,3>"}),
            "swizzle is 'Sw<0,4,3>'; it must be one of units of at least 16 bytes and of 1 to 5 bits, e.g. Sw<3,4,3>");
  EXPECT_EQ(said("m k -> | m k", {.swizzle = "Sw<3,4"}),
            "swizzle 'Sw<3,4' is wrong at its end: ',' is expected, as a swizzle has bits, base and shift");
  EXPECT_EQ(said("m k -> | m k", {.swizzle = "Sw<3,4,3> o 4"}),
            "swizzle 'Sw<3,4,3> o 4' is wrong at character 11, 'o': the end is expected");
  EXPECT_EQ(said("m k -> | m k", {.swizzle = "64"}), "swizzle '64' is wrong at character 1, '64': a swizzle is expected");
  EXPECT_EQ(
      said("m k -> | m k", {.swizzle = "Sw<3,4,2>"}),
      "swizzle 'Sw<3,4,2>' is wrong at character 8, '2': the shift must be 3 or more, or -3 or less, as the swizzle has 3 bits");
  EXPECT_EQ(said("m k -> m k", {.swizzle = "Sw<3,4,3>"}),
            "swizzle is given; it must be left out without a | on the right of pattern 'm k -> m k'");
  EXPECT_EQ(said("m k -> | m k", {.source_swizzle = "Sw<3,4,3>"}),
            "source_swizzle is given; it must be left out without a | on the left of pattern 'm k -> | m k'");
  EXPECT_EQ(
      said("m k -> m | k", {.swizzle = "Sw<2,4,3>"}, {64, 24}),
      "the tile of swizzle is 24 elements of 2 bytes; it must be of axes that 32 bytes divide, as a boundary of the bits of "
      "'Sw<2,4,3>'");
  EXPECT_EQ(
      said("m k -> m | k", {.swizzle = "Sw<3,4,-3>"}),
      "the tile of swizzle is 64 elements of 2 bytes; it must be of axes that 256 bytes divide, as a boundary of the bits of "
      "'Sw<3,4,-3>'");
  EXPECT_EQ(said("m k -> | m k", {.shape = {64, 63}, .swizzle = "Sw<3,4,3>"}),
            "result_shape[1] is 63; it must be 64, because a tile with a swizzle is whole");
  EXPECT_EQ(said("m k -> | m k", {.destination_strides = {65, 1}, .swizzle = "Sw<3,4,3>"}),
            "destination_strides[0] is 65; it must be 64, because a tile with a swizzle is dense");
  EXPECT_EQ(said("| m k -> m k", {.source_strides = {1, 64}, .source_swizzle = "Sw<3,4,3>"}),
            "source_strides[1] is 64; it must be 1, because a tile with a swizzle is dense");
  EXPECT_EQ(result, before);
  EXPECT_EQ(
      message_of([&] {
        rearrange(source.data(), result.data(), "m k -> | m k", {64, 8}, 12, {}, {.swizzle = "Sw<1,4,3>"});
      }),
      "the tile of swizzle is 64x8 elements of 12 bytes; it must be of axes that 16 bytes divide, as a boundary of the bits "
      "of 'Sw<1,4,3>'");
}

}  // namespace
}  // namespace cornerturn
