#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "cornerturn/cornerturn.h"
#include "cornerturn/cornerturn.hpp"
#include "support/message.hpp"

namespace cornerturn {
namespace {

using enum element_type;

constexpr std::int64_t kHeight = 20, kWidth = 24, kChannels = 3, kPixels = kHeight * kWidth * kChannels;

/// Images with gaps between them, in another order than that of their memory, and the same images behind one pointer.
struct listed_images {
  std::vector<std::uint8_t> memory, dense;
  std::vector<void const*> list;
  float scale[3] = {0.5f, 0.25f, 3}, bias[3] = {-1, 0, 0.125f};
  std::vector<float> planes;

  explicit listed_images(std::int64_t count)
      : memory(std::size_t(count * (kPixels + 5))), dense(std::size_t(count * kPixels)), planes(std::size_t(count * kPixels)) {
    for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = std::uint8_t(i * 37 % 253);
    for (std::int64_t i = 0; i < count; ++i) {
      auto const* const image = memory.data() + (count - 1 - i) * (kPixels + 5);
      list.push_back(image);
      std::copy(image, image + kPixels, dense.begin() + i * kPixels);
    }
  }

  element_operation operation(std::vector<std::int64_t> const& strides) const {
    return {.source = u8, .destination = f32, .scale = scale, .bias = bias, .factor_strides = strides};
  }

  /// The planes of the images behind one pointer.
  std::vector<float> wanted() const {
    std::vector<float> result(planes.size());
    permute(dense.data(), result.data(), {std::int64_t(list.size()), kHeight, kWidth, kChannels}, {0, 3, 1, 2},
            operation({0, 1, 0, 0}));
    return result;
  }

  void run(permute_options const& options = {}, std::int64_t stride = kPixels) {
    permute_batched(list, planes.data(), stride, {kHeight, kWidth, kChannels}, {2, 0, 1}, operation({1, 0, 0}), options);
  }

  std::string message(permute_options const& options = {}, std::int64_t stride = kPixels) {
    return test::message_of([&] { run(options, stride); });
  }
};

/// A result of 1 MB or more is worth several threads.
TEST(permute_batched, is_permute_of_a_batch_behind_one_pointer) {
  for (std::int64_t const count : {1, 5, 900})
    for (int const threads : {0, 1, 2, 7}) {
      listed_images images(count);
      images.run({.threads = threads});
      EXPECT_EQ(images.planes, images.wanted()) << count << " images, " << threads << " threads";
    }
}

/// Fewer arrays than threads have all threads, one after another.
TEST(permute_batched, of_large_arrays_is_permute_of_each) {
  constexpr std::int64_t kRows = 1500, kCols = 1111;
  std::vector<float> first(std::size_t(kRows * kCols)), second(first.size());
  std::iota(first.begin(), first.end(), 0.f), std::iota(second.begin(), second.end(), -77.f);
  std::vector<double> result(2 * first.size()), wanted(result.size());
  void const* const list[] = {second.data(), first.data()};
  permute_batched(list, result.data(), kRows * kCols, {kRows, kCols}, {1, 0}, {f32, f64, 0.5}, {.threads = 4});
  permute(second.data(), wanted.data(), {kRows, kCols}, {1, 0}, {f32, f64, 0.5});
  permute(first.data(), wanted.data() + kRows * kCols, {kRows, kCols}, {1, 0}, {f32, f64, 0.5});
  EXPECT_EQ(result, wanted);
}

TEST(permute_batched, leaves_gaps_between_the_parts_and_takes_strides) {
  std::vector<std::int16_t> const from{1, 2, 3, 4, 5, 6, 7, 8};
  std::vector<float> to(10, -1);
  void const* const list[] = {from.data() + 4, from.data()};
  permute_batched(list, to.data(), 5, {2, 2}, {1, 0}, {i16, f32, 10}, {.source_strides = {2, 1}});
  EXPECT_EQ(to, (std::vector<float>{50, 70, 60, 80, -1, 10, 30, 20, 40, -1}));
}

TEST(permute_batched, has_arrays_of_as_many_modes_as_permute) {
  std::vector<std::int64_t> shape(64, 1), axes(64);
  std::iota(axes.begin(), axes.end(), 0);
  shape[5] = 2, shape[60] = 3;
  std::swap(axes[5], axes[60]);
  std::vector<float> const from{1, 2, 3, 4, 5, 6};
  std::vector<double> to(12, -1);
  void const* const list[] = {from.data(), from.data()};
  permute_batched(list, to.data(), 6, shape, axes, {f32, f64});
  EXPECT_EQ(to, (std::vector<double>{1, 4, 2, 5, 3, 6, 1, 4, 2, 5, 3, 6}));
}

TEST(permute_batched, of_no_arrays_moves_nothing) {
  permute_batched({}, nullptr, 6, {2, 3}, {1, 0}, {f32, bf16});
  void const* const nowhere[] = {nullptr, nullptr};
  permute_batched(nowhere, nullptr, 6, {0, 3}, {1, 0}, {f32, bf16});
}

TEST(permute_batched, of_equal_types_copies_bits) {
  std::vector<float> const from{1, 2, 3, 4};
  std::vector<float> to(4);
  void const* const list[] = {from.data() + 2, from.data()};
  permute_batched(list, to.data(), 2, {2}, {0}, {f32, f32});
  EXPECT_EQ(to, (std::vector<float>{3, 4, 1, 2}));
}

TEST(permute_batched, refuses_bad_arguments) {
  listed_images images(3);
  EXPECT_EQ(images.message(), "");
  EXPECT_TRUE(images.message({}, kPixels - 1).starts_with("destination stride of axis 3 is 1439; it must be 1440 or more"))
      << images.message({}, kPixels - 1);
  EXPECT_TRUE(images.message({}, 0).starts_with("destination stride of axis 3 is 0; it must be other than 0"))
      << images.message({}, 0);
  EXPECT_EQ(images.message({.threads = -1}), "threads is -1; it must be 0 or more");
  EXPECT_TRUE(
      images.message({.processor = processor_kind::gpu}).starts_with("processor is gpu; it must be automatic or cpu for "))
      << images.message({.processor = processor_kind::gpu});
  images.list[1] = images.planes.data() + 17;
  EXPECT_NE(images.message().find("it must be apart from the source"), std::string::npos) << images.message();
  images.list[1] = nullptr;
  EXPECT_EQ(images.message(), "sources[1] is null; it must be an address, since there is something to move");
}

TEST(permute_batched_in_c, is_that_of_cpp) {
  listed_images images(4);
  auto const wanted = images.wanted();
  cornerturn_operation operation = CORNERTURN_OPERATION_INIT(CORNERTURN_U8, CORNERTURN_F32);
  std::int64_t const factors[] = {1, 0, 0}, shape[] = {kHeight, kWidth, kChannels}, axes[] = {2, 0, 1};
  std::int64_t const strides[] = {kWidth * kChannels, kChannels, 1};
  operation.scale = images.scale, operation.bias = images.bias, operation.factor_strides = factors;
  for (auto const* const source_strides : {strides, static_cast<std::int64_t const*>(nullptr)}) {
    images.planes.assign(images.planes.size(), 0);
    ASSERT_EQ(cornerturn_permute_batched(images.list.data(), 4, images.planes.data(), kPixels, 3, shape, source_strides, axes,
                                         nullptr, cornerturn_changed_by(&operation), nullptr, nullptr),
              CORNERTURN_OK);
    EXPECT_EQ(images.planes, wanted);
  }
  EXPECT_EQ(cornerturn_permute_batched(nullptr, 0, nullptr, 0, 3, shape, nullptr, axes, nullptr,
                                       cornerturn_changed_by(&operation), nullptr, nullptr),
            CORNERTURN_OK);
  EXPECT_EQ(cornerturn_permute_batched(nullptr, -1, nullptr, 0, 3, shape, nullptr, axes, nullptr,
                                       cornerturn_changed_by(&operation), nullptr, nullptr),
            CORNERTURN_BAD_ARGUMENT);
  EXPECT_STREQ(cornerturn_last_error(), "count is -1; it must be 0 or more");
  EXPECT_EQ(cornerturn_permute_batched(nullptr, 2, images.planes.data(), kPixels, 3, shape, nullptr, axes, nullptr,
                                       cornerturn_changed_by(&operation), nullptr, nullptr),
            CORNERTURN_BAD_ARGUMENT);
}

}  // namespace
}  // namespace cornerturn
