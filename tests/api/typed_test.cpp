#include "cornerturn/typed.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "cornerturn/tune.hpp"
#include "support/message.hpp"

namespace cornerturn {
namespace {

using test::message_of;

class typed : public testing::Test {
 protected:
  void SetUp() override { std::iota(source.begin(), source.end(), 0.f); }

  std::vector<float> source = std::vector<float>(6), result = std::vector<float>(6);
  std::vector<float> const transposed{0, 3, 1, 4, 2, 5};
};

TEST_F(typed, lists_may_be_of_any_integers) {
  std::size_t const rows = 2, cols = 3;
  short const axes[] = {1, 0};
  auto const check = [&](index_list shape, index_list order) {
    result.assign(6, 0);
    permute(source.data(), result.data(), shape, order, sizeof(float));
    EXPECT_EQ(result, transposed);
  };
  check({rows, cols}, {1, 0});
  check(std::vector<int>{2, 3}, axes);
  check(std::array<unsigned, 2>{2, 3}, std::vector<std::int8_t>{-1, 0});
  check(std::vector<std::int64_t>{2, 3}, std::array<std::int64_t, 2>{1, 0});
  check(std::vector<std::uint64_t>{2, 3}, {1u, 0u});
}

TEST_F(typed, a_copied_list_views_the_numbers_of_the_first) {
  std::vector<int> const numbers{4, 5};
  index_list const first = numbers, second = first;
  EXPECT_EQ(second.data(), first.data());
  EXPECT_EQ(second[1], 5);
}

TEST_F(typed, lists_out_of_range_are_refused) {
  EXPECT_EQ(message_of([&] { permute(source.data(), result.data(), std::vector<int>(65, 1), {0}); }),
            "rank is 65; it must be 64 or less");
  EXPECT_EQ(message_of([&] { permute(source.data(), result.data(), {std::size_t(2), std::size_t(-1)}, {1, 0}); }),
            "index 1 of a list is 18446744073709551615; it must be 2^63 - 1 or less");
}

TEST_F(typed, pointers_have_the_element_size) {
  permute(source.data(), result.data(), {2, 3}, {1, 0});
  EXPECT_EQ(result, transposed);
  result.assign(6, 0);
  transpose(source.data(), result.data(), 2, 3, {.processor = processor_kind::cpu});
  EXPECT_EQ(result, transposed);
  result.assign(6, 0);
  strided_copy(source.data(), {1, 3}, result.data(), {2, 1}, {3, 2});
  EXPECT_EQ(result, transposed);
  result.assign(6, 0);
  plan_permute<float>({2, 3}, {1, 0}, {.processor = processor_kind::cpu}).run(source.data(), result.data());
  EXPECT_EQ(result, transposed);
  result.assign(6, 0);
  plan<float>({3, 2}, {1, 3}, {2, 1}, {.processor = processor_kind::cpu}).run(source.data(), result.data());
  EXPECT_EQ(result, transposed);
}

TEST_F(typed, ranges_are_moved) {
  permute(source, result, {2, 3}, {1, 0});
  EXPECT_EQ(result, transposed);
  result.assign(6, 0);
  transpose(std::span(source), std::span(result), 2, 3);
  EXPECT_EQ(result, transposed);
  result.assign(6, 0);
  std::span<float const> const read = source;
  strided_copy(read, {1, 3}, result, {2, 1}, {3, 2});
  EXPECT_EQ(result, transposed);
}

TEST_F(typed, ranges_must_have_room) {
  std::span<float> const short_one(result.data(), 5);
  std::string const has_5 = "'s number of elements is 5; it must be 6 or more for this layout";
  EXPECT_EQ(message_of([&] { permute(source, short_one, {2, 3}, {1, 0}); }), "the destination" + has_5);
  EXPECT_EQ(message_of([&] { transpose(std::span(source).first(5), result, 2, 3); }), "the source" + has_5);
  EXPECT_EQ(message_of([&] { strided_copy(source, {1, 3}, short_one, {2, 1}, {3, 2}); }), "the destination" + has_5);
  EXPECT_EQ(result, std::vector<float>(6));
}

TEST_F(typed, ranges_begin_with_the_first_element_of_the_layout) {
  EXPECT_EQ(message_of([&] { strided_copy(source, {-1}, result, {1}, {6}); }),
            "the source's first element is -5; it must be 0 or more in a range; a pointer has elements before it");
  strided_copy(source.data() + 5, {-1}, result.data(), {1}, {6});
  EXPECT_EQ(result, (std::vector<float>{5, 4, 3, 2, 1, 0}));
}

TEST_F(typed, arguments_are_refused_as_without_types) {
  EXPECT_EQ(message_of([&] { permute(source, result, {2, 3}, {1, 1}); }),
            "axes is (1, 1); it must be a permutation of 0 to 1 for an array of rank 2");
  EXPECT_EQ(message_of([&] { transpose(source, result, -2, 3); }), "rows is -2; it must be 0 or more");
}

TEST_F(typed, arrays_are_permuted_in_place) {
  std::vector<float> const original{0, 1, 2, 3}, swapped{0, 2, 1, 3};
  auto square = original;
  permute_inplace(square.data(), {2, 2}, {1, 0});
  EXPECT_EQ(square, swapped);
  permute_inplace(square, {2, 2}, {1, 0}, {.processor = processor_kind::cpu});
  EXPECT_EQ(square, original);
  permute_inplace(std::span(square), {2, 2}, {1, 0});
  plan_permute_inplace<float>({2, 2}, {1, 0}, {.processor = processor_kind::cpu}).run(square.data());
  EXPECT_EQ(square, original);
  EXPECT_EQ(message_of([&] { permute_inplace(square, {2, 3, 3}, {0, 2, 1}); }),
            "the array's number of elements is 4; it must be 18 or more for this layout");
  EXPECT_EQ(message_of([&] { permute_inplace(square, {2, -3}, {1, 0}); }), "extent of axis 1 is -3; it must be 0 or more");
}

template <class Array>
concept can_be_permuted_inplace = requires(Array array) { permute_inplace(array, {2, 2}, {1, 0}); };

TEST_F(typed, arrays_in_place_must_be_writable) {
  static_assert(can_be_permuted_inplace<float*> && can_be_permuted_inplace<std::vector<int>&> &&
                can_be_permuted_inplace<std::span<int>>);
  static_assert(!can_be_permuted_inplace<float const*> && !can_be_permuted_inplace<std::vector<int> const&>);
  static_assert(!can_be_permuted_inplace<std::span<int const>> && !can_be_permuted_inplace<void*>);
}

template <class Source, class Destination>
concept can_be_permuted = requires(Source from, Destination to) { permute(from, to, {2, 3}, {1, 0}); };

TEST_F(typed, element_types_must_match) {
  static_assert(can_be_permuted<float const*, float*> && can_be_permuted<std::vector<int>&, std::span<int>>);
  static_assert(!can_be_permuted<float const*, float const*> && !can_be_permuted<int*, float*>);
  static_assert(!can_be_permuted<std::vector<int>&, std::vector<int> const&>);
  static_assert(!can_be_permuted<std::vector<int>&, std::vector<float>&>);
  static_assert(!can_be_permuted<std::vector<std::string>&, std::vector<std::string>&>);
  static_assert(!can_be_permuted<void const*, void*>);
}

TEST_F(typed, plans_may_have_strides) {
  std::vector<float> padded(8), pitched(9, -1);
  for (std::size_t row = 0; row < 2; ++row)
    for (std::size_t col = 0; col < 3; ++col) padded[4 * row + col] = float(3 * row + col);
  plan_options const options{
      .processor = processor_kind::cpu, .source_strides = {4, 1}, .destination_strides = {3, 1}};
  plan_permute<float>({2, 3}, {1, 0}, options).run(padded.data(), pitched.data());
  EXPECT_EQ(pitched, (std::vector<float>{0, 3, -1, 1, 4, -1, 2, 5, -1}));
  EXPECT_EQ(message_of([&] { plan<float>({2, 3}, {3, 1}, {3, 1}, options); }),
            "options.source_strides is (4, 1); it must be empty, because plan has its strides already");
  EXPECT_EQ(plan_candidates({2, 3}, {1, 0}, sizeof(float), options).size(), 1);
}

}  // namespace
}  // namespace cornerturn
