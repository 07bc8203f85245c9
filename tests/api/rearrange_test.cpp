#include "cornerturn/rearrange.hpp"

#include <gtest/gtest.h>

#include <complex>
#include <cstdint>
#include <string_view>
#include <vector>

#include "support/iota.hpp"
#include "support/message.hpp"

namespace cornerturn {
namespace {

using test::message_of;

TEST(rearrange, splits_permutes_and_merges) {
  auto const source = test::iota<int>(2 * 6 * 3);
  std::vector<int> result(source.size());
  std::vector<axis_length> const lengths{{"p", 2}};
  rearrange(source.data(), result.data(), "b (h p) c -> (p b) (c h)", {2, 6, 3}, sizeof(int), lengths);
  for (int b = 0; b < 2; ++b)
    for (int h = 0; h < 3; ++h)
      for (int p = 0; p < 2; ++p)
        for (int c = 0; c < 3; ++c)
          EXPECT_EQ(result[std::size_t((p * 2 + b) * 9 + c * 3 + h)], source[std::size_t((b * 6 + h * 2 + p) * 3 + c)]);
}

TEST(rearrange, tells_the_steps_of_a_pattern) {
  std::vector<axis_length> const lengths{{"p", 2}};
  auto const found = rearrangement_of("... (h p) c -> c 1 (p ...) h", {4, 5, 6, 3}, lengths);
  EXPECT_EQ(found->split, (std::vector<std::int64_t>{4, 5, 3, 2, 3}));
  EXPECT_EQ(found->split_counts, (std::vector<int>{1, 1, 2, 1}));
  EXPECT_EQ(found->order, (std::vector<std::int64_t>{4, 3, 0, 1, 2}));
  EXPECT_EQ(found->merged_counts, (std::vector<int>{1, 0, 3, 1}));
  EXPECT_EQ(found->shape, (std::vector<std::int64_t>{3, 1, 40, 3}));
  EXPECT_EQ(rearrangement_of("... (h p) c -> c 1 (p ...) h", {4, 5, 6, 3}, lengths), found);
  EXPECT_NE(rearrangement_of("... (h p) c -> c 1 (p ...) h", {4, 5, 8, 3}, lengths)->shape, found->shape);
}

TEST(rearrange, takes_strides_on_either_side) {
  auto const source = test::iota<int>(32);
  std::vector<int> result(16, -1);
  std::vector<axis_length> const lengths{{"q", 2}};
  // two rows of four, eight apart and backwards; a result of four rows of two, four apart
  rearrange(source.data() + 10, result.data(), "a (b q) -> (a q) b", {2, 4}, sizeof(int), lengths,
            {.source_strides = {8, -2}, .destination_strides = {4, 1}});
  EXPECT_EQ(result, (std::vector<int>{10, 6, -1, -1, 8, 4, -1, -1, 18, 14, -1, -1, 16, 12, -1, -1}));
}

TEST(rearrange, changes_elements) {
  std::vector<float> const source{0, 1, 2, 3, 4, 5};
  std::vector<std::uint8_t> result(6);
  rearrange(source.data(), result.data(), "a b -> b a", {2, 3}, {element_type::f32, element_type::u8, 2.0});
  EXPECT_EQ(result, (std::vector<std::uint8_t>{0, 6, 2, 8, 4, 10}));
}

TEST(rearrange, pads_what_a_split_does_not_divide) {
  auto const source = test::iota<std::uint16_t>(5 * 3);
  std::vector<axis_length> const lengths{{"a", 2}, {"b", 2}, {"c", 2}};
  std::uint16_t const pad = 77;
  std::vector<std::uint16_t> result(8 * 4, 0);
  rearrange(source.data(), result.data(), "(m a b) (k c) -> m k b a c", {5, 3}, 2, lengths, {.pad = &pad});
  for (std::int64_t i = 0; i < 8; ++i)
    for (std::int64_t j = 0; j < 4; ++j) {
      auto const at = (((i / 4 * 2 + j / 2) * 2 + i % 2) * 2 + i / 2 % 2) * 2 + j % 2;
      EXPECT_EQ(result[std::size_t(at)], i < 5 && j < 3 ? i * 3 + j : 77) << i << ", " << j;
    }
  std::vector<std::uint16_t> back(15, 0);
  rearrange(result.data(), back.data(), "m k b a c -> (m a b) (k c)", {2, 2, 2, 2, 2}, 2, {}, {.shape = {5, 3}});
  EXPECT_EQ(back, source);
}

TEST(rearrange, pads_to_given_lengths) {
  std::vector<axis_length> const lengths{{"a", 4}, {"one", 1}};
  float const pad = 0.5;
  std::vector<std::uint8_t> const source{1, 2, 3};
  std::vector<float> result(4);
  rearrange(source.data(), result.data(), "a one -> (one a)", {3, 1}, {element_type::u8, element_type::f32}, lengths,
            {.pad = &pad});
  EXPECT_EQ(result, (std::vector<float>{1, 2, 3, 0.5}));
  rearrange(nullptr, result.data(), "a one -> (one a)", {0, 1}, {element_type::u8, element_type::f32}, lengths, {.pad = &pad});
  EXPECT_EQ(result, (std::vector<float>(4, 0.5)));
  EXPECT_EQ(message_of([&] {
              rearrange(source.data(), result.data(), "a one -> (one a)", {5, 1}, 1, lengths, {.pad = &pad});
            }),
            "shape[0] is 5; it must be 4 or less, for 'a' at index 0 of pattern 'a one -> (one a)'");
  EXPECT_EQ(message_of([&] {
              rearrange(source.data(), result.data(), "a one -> (one a)", {4, 1}, 1, lengths, {.shape = {5}});
            }),
            "result_shape[0] is 5; it must be from 0 to 4, the extent that the pattern makes");
  EXPECT_EQ(message_of([&] {
              rearrange(source.data(), result.data(), "a one -> (one a)", {4, 1}, 1, lengths, {.shape = {4, 1}});
            }),
            "the length of result_shape is 2; it must be 1, as on the right of pattern 'a one -> (one a)'");
}

/// Element `index` of packed elements.
int element_of(std::vector<std::uint8_t> const& bytes, std::int64_t index, int bits, bit_order order) {
  auto const per_byte = 8 / bits, within = int(index % per_byte);
  auto const shift = bits * (order == bit_order::big ? per_byte - 1 - within : within);
  return bytes[std::size_t(index / per_byte)] >> shift & ((1 << bits) - 1);
}

TEST(rearrange, moves_elements_of_less_than_a_byte) {
  for (auto const order : {bit_order::little, bit_order::big})
    for (int const bits : {4, 2, 1})
      for (bool const is_padded : {false, true}) {
        std::int64_t const rows = is_padded ? 21 : 24, columns = 40, padded_rows = 24;
        std::vector<std::uint8_t> source(std::size_t(3 * rows * columns * bits / 8)),
            result(std::size_t(3 * padded_rows * columns * bits / 8));
        for (std::size_t i = 0; i < source.size(); ++i) source[i] = std::uint8_t(i * 151 + i / 7);
        std::uint8_t const pad = 0xFF;
        std::vector<axis_length> const lengths{{"a", 8}};
        // pairs of rows keep bytes whole only if the last axis stays; transposed rows do not; an odd split moves single elements
        for (std::string_view const pattern :
             {"b (m a) k -> m b a k", "b (m a) k -> b k (m a)", "b (m a) (k five) -> k b five (m a)"}) {
          auto all = lengths;
          if (pattern.find("five") != pattern.npos) all.push_back({"five", 5});
          rearrange(source.data(), result.data(), pattern, {3, rows, columns}, 1, all,
                    {.pad = is_padded ? &pad : nullptr, .bits = bits, .order = order});
          for (std::int64_t b = 0; b < 3; ++b)
            for (std::int64_t i = 0; i < padded_rows; ++i)
              for (std::int64_t k = 0; k < columns; ++k) {
                auto const to = pattern.ends_with("a k")               ? ((i / 8 * 3 + b) * 8 + i % 8) * columns + k
                                : pattern.find("five") == pattern.npos ? (b * columns + k) * padded_rows + i
                                                                       : ((k / 5 * 3 + b) * 5 + k % 5) * padded_rows + i;
                auto const wanted = i < rows ? element_of(source, (b * rows + i) * columns + k, bits, order) : (1 << bits) - 1;
                ASSERT_EQ(element_of(result, to, bits, order), wanted) << pattern << bits << " " << b << " " << i << " " << k;
              }
        }
      }
}

TEST(rearrange, refuses_packed_elements_in_parts_of_bytes) {
  std::vector<std::uint8_t> const source(64);
  std::vector<std::uint8_t> result(64);
  auto const said = [&](index_list shape, rearrange_options const& options, std::int64_t size = 1) {
    return message_of([&] { rearrange(source.data(), result.data(), "a b -> b a", shape, size, {}, options); });
  };
  EXPECT_EQ(said({4, 4}, {.bits = 3}), "options.bits is 3; it must be 8, 4, 2 or 1");
  EXPECT_EQ(said({4, 4}, {.bits = 4}, 2), "element_size is 2; it must be 1 for packed elements");
  EXPECT_EQ(said({4, 3}, {.bits = 4}), "shape[1] is 3; it must be a multiple of 2, whole bytes");
  EXPECT_EQ(said({3, 4}, {.bits = 4}), "result_shape[1] is 3; it must be a multiple of 2, whole bytes");
  EXPECT_EQ(said({4, 4}, {.source_strides = {5, 1}, .bits = 4}),
            "source_strides[0] is 5; it must be a multiple of 2, whole bytes");
  EXPECT_EQ(said({4, 4}, {.source_strides = {8, 2}, .bits = 4}), "source_strides[1] is 2; it must be 1 for packed elements");
}

TEST(rearrange, counts_packed_elements_in_bytes) {
  using numbers = std::vector<std::int64_t>;
  EXPECT_EQ(shape_in_elements({3, 5}, 4), (numbers{3, 10}));
  EXPECT_EQ(shape_in_bytes({3, 16}, 1), (numbers{3, 2}));
  EXPECT_EQ(shape_in_elements({}, 8), numbers());
  EXPECT_EQ(shape_in_bytes({7}, 8), numbers{7});
  constexpr std::int64_t kHalf = std::int64_t(1) << 62;
  EXPECT_EQ(message_of([&] { shape_in_elements({kHalf}, 4); }),
            "the last extent in elements is beyond 64 bits; it must be within 64 bits");
  EXPECT_EQ(message_of([&] { shape_in_elements({}, 2); }), "rank is 0; it must be 1 or more for packed elements");
  EXPECT_EQ(message_of([&] { shape_in_bytes({}, 2); }), "the rank of the result is 0; it must be 1 or more for packed elements");
  EXPECT_EQ(message_of([&] {
              shape_in_bytes({4, 7}, 2);
            }),
            "the last extent of the result is 7; it must be a multiple of 4, whole bytes");
  EXPECT_EQ(message_of([&] { shape_in_bytes({4}, 3); }), "bits is 3; it must be 8, 4, 2 or 1");
}

TEST(rearrange, writes_nothing_if_an_argument_is_wrong) {
  std::vector<std::uint8_t> bytes(64, 3);
  std::uint8_t const pad = 9;
  std::vector<axis_length> const lengths{{"q", 4}};
  auto const before = bytes;
  EXPECT_NE(message_of([&] { rearrange(nullptr, bytes.data(), "(p q) -> q p", {7}, 1, lengths, {.pad = &pad}); }), "");
  EXPECT_NE(message_of([&] { rearrange(bytes.data() + 5, bytes.data(), "(p q) -> q p", {7}, 1, lengths, {.pad = &pad}); }), "");
  EXPECT_NE(
      message_of([&] {
        rearrange(before.data(), bytes.data(), "(p q) -> q p", {7}, 1, lengths, {.destination_strides = {1, 1}, .pad = &pad});
      }),
      "");
  // rows that overlap although no part that is copied or padded does by itself
  EXPECT_EQ(
      message_of([&] {
        rearrange(before.data(), bytes.data(), "(p q) -> p q", {5}, 1, lengths, {.destination_strides = {2, 1}, .pad = &pad});
      }),
      "destination stride of axis 0 is 2; it must be 4 or more in magnitude, past the span of the modes with smaller ones");
  elements const wrong{element_type::u8, element_type::u8, std::complex<double>(0, 1)};
  EXPECT_EQ(message_of([&] { rearrange(before.data(), bytes.data(), "(p q) -> q p", {7}, wrong, lengths, {.pad = &pad}); }),
            "operation.alpha is 0+1i; it must be real, because the destination is u8");
  EXPECT_EQ(bytes, before);
}

TEST(rearrange, names_what_is_wrong) {
  auto const said = [](std::string_view pattern, std::vector<axis_length> const& lengths = {}, index_list shape = {4, 6}) {
    return message_of([&] { rearrange(nullptr, nullptr, pattern, shape, 4, lengths); });
  };
  EXPECT_EQ(said("a b"), "pattern is 'a b'; it must have two sides with -> between them");
  EXPECT_EQ(said("a \xC3\x84 d -> a"),
            "pattern is 'a \xC3\x84 d -> a'; it must have the same axes on both sides, unlike "
            "'\xC3\x84' at index 2");
  EXPECT_EQ(said("a \xE2\x80\x93 -> a"),
            "pattern is 'a \xE2\x80\x93 -> a'; it must have only 1, ... and names, which are "
            "identifiers without _ at their ends, unlike '\xE2\x80\x93' at index 2");
  EXPECT_EQ(said("a \xFF -> a"),
            "pattern is 'a \\xff -> a'; it must have only 1, ... and names, which are identifiers without _ "
            "at their ends, unlike '\\xff' at index 2");
  EXPECT_EQ(said("a b c -> c b a"), "rank is 2; it must be 3, as on the left of pattern 'a b c -> c b a'");
  EXPECT_EQ(said("a (b c) -> a b c", {{"c", 4}}),
            "shape[1] is 6; it must be a multiple of 4, for '(b c)' at index 2 of pattern 'a (b c) -> a b c'");
  EXPECT_EQ(said("a b -> b a", {{"c", 4}}), "c is given; it must be the name of an axis of pattern 'a b -> b a'");
  EXPECT_EQ(said("a b -> b a", {{"a", 4}, {"a", 4}}), "a is given twice; it must be given once");
  EXPECT_EQ(said("a b -> b a", {{"a", -4}}), "a is -4; it must be 0 or more");
  EXPECT_EQ(said("a b -> b a", {}, {4, -6}), "shape[1] is -6; it must be 0 or more");
  EXPECT_EQ(said("a b -> (a b)", {}, {std::int64_t(1) << 40, std::int64_t(1) << 40}),
            "the size of the result is beyond 64 bits; it must be within 64 bits");
  EXPECT_EQ(said("a b -> b a"), "source is null; it must be an address, since there is something to move");
  float const factor = 1;
  EXPECT_EQ(message_of([&] {
              rearrange(nullptr, nullptr, "a b -> b a", {4, 6}, element_operation{.scale = &factor, .factor_strides = {0, 0}});
            }),
            "operation.scale is given; it must be null, because rearrange has no layout for it");
}

TEST(rearrange, is_planned_beforehand) {
  std::vector<axis_length> const lengths{{"a", 4}};
  auto const source = test::iota<std::uint8_t>(6 * 3);
  std::uint8_t const pad = 9;
  std::vector<std::uint8_t> wanted(8 * 3), result(wanted.size());
  plan_options const on_cpu{.processor = processor_kind::cpu};
  for (std::string_view const pattern : {"(m a) k -> k (m a)", "(m a) k -> m k a"}) {
    rearrange(source.data(), wanted.data(), pattern, {6, 3}, 1, lengths, {.pad = &pad});
    auto const plan = plan_rearrange(pattern, {6, 3}, 1, lengths, {.pad = &pad}, on_cpu);
    plan.run(source.data(), result.data());
    EXPECT_EQ(result, wanted);
    EXPECT_NE(plan.describe().find("padded from 6"), std::string::npos) << plan.describe();
    EXPECT_NE(plan.explain().plan.find("limited"), std::string::npos) << plan.explain().plan;
  }
  EXPECT_EQ(plan_rearrange("a b -> b a", {6, 3}, 1, {}, {}, on_cpu).describe(),
            plan_permute({6, 3}, {1, 0}, 1, on_cpu).describe());
  EXPECT_EQ(message_of([&] {
              plan_rearrange("a b -> b a", {8, 8}, 1, {}, {.bits = 4}, on_cpu);
            }),
            "options.bits is 4; it must be 8 for a plan");
  EXPECT_EQ(message_of([&] {
              plan_rearrange("(m a) k -> k (m a)", {6, 3}, {element_type::u8, element_type::f32}, lengths, {.pad = &pad}, on_cpu);
            }),
            "element is an operation; it must be a size, for a plan that pads, crops or swizzles");
}

}  // namespace
}  // namespace cornerturn
