#include "cornerturn/permute.hpp"

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "cornerturn/info.hpp"
#include "problem/print.hpp"
#include "problem/validate.hpp"
#include "support/iota.hpp"
#include "support/message.hpp"
#include "support/plain.hpp"
#include "support/random_problem.hpp"
#include "support/seeds.hpp"

namespace cornerturn {
namespace {

using test::message_of;

TEST(permute, has_numpy_s_meaning_of_axes) {
  auto const source = test::iota<int>(24);
  for (auto const& axes : {std::vector<std::int64_t>{2, 0, 1}, {-1, -3, -2}}) {
    std::vector<int> result(24);
    permute(source.data(), result.data(), {2, 3, 4}, axes, sizeof(int));
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 3; ++j)
        for (int k = 0; k < 4; ++k) EXPECT_EQ(result[std::size_t((k * 2 + i) * 3 + j)], source[std::size_t((i * 3 + j) * 4 + k)]);
  }
}

TEST(permute, takes_strides_on_either_side) {
  auto const source = test::iota<int>(12);
  std::array<int, 11> result{};
  // two rows of three, of which the second repeats the first, columns backwards; result in rows of two, four apart
  permute(source.data() + 4, result.data(), {2, 3}, {1, 0}, sizeof(int),
          {.source_strides = {0, -2}, .destination_strides = {4, 1}});
  EXPECT_EQ(result, (std::array<int, 11>{4, 4, 0, 0, 2, 2, 0, 0, 0, 0, 0}));
  permute(source.data(), result.data() + 10, {3}, {0}, sizeof(int), {.destination_strides = {-3}});
  EXPECT_EQ(result, (std::array<int, 11>{4, 4, 0, 0, 2, 2, 0, 1, 0, 0, 0}));
}

TEST(permute, an_array_of_rank_0_has_one_element) {
  int const source = 7;
  int result = 0;
  permute(&source, &result, {}, {}, sizeof(int));
  EXPECT_EQ(result, 7);
}

TEST(permute, does_nothing_where_there_is_nothing_to_move) {
  permute(nullptr, nullptr, {2, 0, 4}, {1, 2, 0}, 4);
  permute(nullptr, nullptr, {0}, {0}, 4, {.processor = processor_kind::gpu});
  strided_copy(nullptr, {1}, nullptr, {0}, {0}, 4);
}

TEST(permute, names_what_is_wrong) {
  std::vector<int> const source(64);
  std::vector<int> result(64);
  auto const said = [&](index_list shape, index_list axes, std::int64_t size = 4, permute_options const& options = {}) {
    return message_of([&] { permute(source.data(), result.data(), shape, axes, size, options); });
  };
  EXPECT_EQ(said({2, 3}, {1, 1}), "axes is (1, 1); it must be a permutation of 0 to 1 for an array of rank 2");
  EXPECT_EQ(said({2, 3}, {0}), "axes is (0); it must be a permutation of 0 to 1 for an array of rank 2");
  EXPECT_EQ(said({2, -3}, {1, 0}), "extent of axis 1 is -3; it must be 0 or more");
  EXPECT_EQ(said({2, 3}, {1, 0}, 0), "element_size is 0; it must be 1 or more");
  EXPECT_EQ(said({2, 3}, {1, 0}, 4, {.source_strides = {1}}), "source_strides is (1); it must be 2 numbers, one for each mode");
  EXPECT_EQ(said({2, 3}, {1, 0}, 4, {.destination_strides = {1, 2}}),
            "destination stride of axis 1 is 2; it must be 3 or more in magnitude, past the span of the modes with smaller ones");
  if (auto const why = info().gpu_problem; !why.empty()) {
    EXPECT_EQ(said({2, 3}, {1, 0}, 4, {.processor = processor_kind::gpu}),
              "processor is gpu; it must be cpu or automatic here: " + why);
    EXPECT_EQ(said({2, 3}, {1, 0}, 4, {.device = 0}), "device is 0; it must be -1 here: " + why);
  }
  EXPECT_EQ(said({2, 3}, {1, 0}, 4, {.processor = processor_kind::cpu, .device = 0}),
            "device is 0; it must be -1 where processor is cpu");
  std::vector<std::int64_t> const many(65, 1);
  EXPECT_EQ(said(many, many), "rank is 65; it must be 64 or less");
  EXPECT_EQ(message_of([&] { permute(nullptr, result.data(), {2}, {0}, 4); }),
            "source is null; it must be an address, since there is something to move");
  EXPECT_EQ(message_of([&] { permute(nullptr, nullptr, {2}, {3}, 4); }),
            "axes is (3); it must be a permutation of 0 to 0 for an array of rank 1");
  EXPECT_NE(message_of([&] { permute(result.data(), result.data() + 1, {2}, {0}, 4); }), "");
  EXPECT_EQ(message_of([&] {
              strided_copy(source.data(), {1}, result.data(), {1, 1}, {2}, 4);
            }),
            "destination_strides is (1, 1); it must be 1 numbers, one for each mode");
}

TEST(strided_copy, follows_the_definition_on_random_problems) {
  test::for_each_seed(300, [](unsigned seed) {
    problem const p = test::random_problem(seed);
    std::vector<std::byte> source(std::size_t(source_range(p).high) + 1), expected(std::size_t(destination_range(p).high) + 16);
    for (std::size_t i = 0; i < source.size(); ++i) source[i] = std::byte(i * 37 + i / 251);
    auto result = expected;
    test::permute_plainly(p, source.data(), expected.data());

    std::vector<std::int64_t> shape, from, to;
    for (mode const& m : p.modes) shape.push_back(m.extent), from.push_back(m.source_stride), to.push_back(m.destination_stride);
    auto const size = shared_element_size(p);
    for (int times = 0; times < 2; ++times)  // planned, and then from the cache
      strided_copy(source.data() + p.source_offset * size, from, result.data() + p.destination_offset * size, to, shape, size);
    ASSERT_TRUE(result == expected) << to_string(p);
  });
}

}  // namespace
}  // namespace cornerturn
