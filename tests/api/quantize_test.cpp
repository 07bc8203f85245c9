#include "cornerturn/quantize.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "cornerturn/cache.hpp"
#include "cornerturn/cornerturn.h"
#include "cornerturn/error.hpp"
#include "cornerturn/text.hpp"
#include "support/guarded.hpp"
#include "support/message.hpp"

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

/// A call with both outputs, two blocks of scales in a row, and all of its arrays in one piece of memory.
struct quantized_in_one_piece {
  std::vector<float> memory = std::vector<float>(4000, 1);
  float *source = memory.data(), *row_values = source + 800, *row_scales = row_values + 200, *column_values = row_scales + 8,
        *column_scales = column_values + 200, *amax = column_scales + 200, *scale = amax + 1;
  std::int64_t row_stride = 2, block_stride = 1;

  std::string message(scale_blocks blocks = scale_blocks::row_blocks) {
    quantize_options options{.blocks = blocks, .amax = amax};
    if (blocks == scale_blocks::tensor) options.scale_address = scale;
    return test::message_of([&] {
      quantize(source, element_type::f32, 4, 200, 200, element_type::f8_e4m3fn,
               {row_values, 200, row_scales, row_stride, block_stride}, {column_values, 4, column_scales, 1, 1}, options);
    });
  }
};

TEST(quantize_call, refuses_arrays_that_overlap_one_that_is_written) {
  using arrays = quantized_in_one_piece;
  EXPECT_EQ(arrays().message(), "");
  EXPECT_EQ(arrays().message(scale_blocks::tensor), "");
  auto const expect = [](std::string const& name, std::string const& other, auto const& change,
                         scale_blocks blocks = scale_blocks::row_blocks) {
    arrays all;
    change(all);
    auto const said = all.message(blocks);
    EXPECT_TRUE(said.starts_with(name + " is [0x")) << said;
    EXPECT_NE(said.find("; it must be apart from " + other + ", [0x"), std::string::npos) << said;
    EXPECT_EQ(all.memory, std::vector<float>(4000, 1));
  };
  expect("row_wise.scales", "the source", [](arrays& all) { all.row_scales = all.source + 799; });
  expect("column_wise.scales", "the source", [](arrays& all) { all.column_scales = all.source; });
  expect("options.amax", "the source", [](arrays& all) { all.amax = all.source + 3; });
  expect("row_wise.scales", "row_wise.values", [](arrays& all) { all.row_scales = all.row_values + 199; });
  expect("column_wise.values", "row_wise.values", [](arrays& all) { all.column_values = all.row_values; });
  expect("column_wise.values", "row_wise.scales", [](arrays& all) { all.column_values = all.row_scales + 7; });
  expect("column_wise.scales", "row_wise.scales", [](arrays& all) { all.column_scales = all.row_scales; });
  expect("options.amax", "row_wise.scales", [](arrays& all) { all.amax = all.row_scales + 7; });
  expect("options.amax", "column_wise.values", [](arrays& all) { all.amax = all.column_values; });
  expect(
      "options.amax", "options.scale_address", [](arrays& all) { all.scale = all.amax; }, scale_blocks::tensor);
  expect(
      "row_wise.values", "options.scale_address", [](arrays& all) { all.scale = all.row_values + 5; }, scale_blocks::tensor);
}

TEST(quantize_call, refuses_scales_that_overlap_each_other) {
  auto const said = [](std::int64_t row_stride, std::int64_t block_stride, scale_blocks blocks = scale_blocks::row_blocks) {
    quantized_in_one_piece all;
    all.row_stride = row_stride, all.block_stride = block_stride;
    return all.message(blocks);
  };
  EXPECT_EQ(said(1, 4), "");
  EXPECT_EQ(said(0, 1), "row_wise.scale_row_stride is 0; it must be 1 or more in magnitude, so that no two scales overlap");
  EXPECT_EQ(said(1, 1), "row_wise.scale_block_stride is 1; it must be 4 or more in magnitude, so that no two scales overlap");
  EXPECT_EQ(said(2, 0), "row_wise.scale_block_stride is 0; it must be 1 or more in magnitude, so that no two scales overlap");
  EXPECT_EQ(said(1, 0, scale_blocks::rows), "");
  EXPECT_EQ(said(0, 1, scale_blocks::squares), "");
  EXPECT_EQ(said(0, 0, scale_blocks::tensor), "");
}

TEST(quantize_call_in_c, refuses_arrays_that_overlap_one_that_is_written) {
  quantized_in_one_piece all;
  cornerturn_quantized_matrix const rows{sizeof(rows), all.row_values, 200, all.row_scales, 2, 1};
  cornerturn_quantized_matrix const columns{sizeof(columns), all.column_values, 4, all.row_scales, 1, 1};
  EXPECT_EQ(cornerturn_quantize(all.source, CORNERTURN_F32, 4, 200, 200, CORNERTURN_F8_E4M3FN, &rows, &columns, nullptr, nullptr),
            CORNERTURN_BAD_ARGUMENT);
  EXPECT_TRUE(std::string(cornerturn_last_error()).starts_with("column_wise.scales is [0x")) << cornerturn_last_error();
}

TEST(quantize_call, of_no_elements_has_an_amax_of_0) {
  for (auto const blocks : {scale_blocks::tensor, scale_blocks::rows, scale_blocks::row_blocks, scale_blocks::squares}) {
    float amax = 7;
    quantize(nullptr, element_type::f32, 0, 8, 8, element_type::f8_e4m3fn, {}, {}, {.blocks = blocks, .amax = &amax});
    EXPECT_EQ(amax, 0);
  }
}

/// Memory that another stream allocated during its capture is such memory. A call that names a stream may meet it.
TEST(quantize_call, touches_no_memory_that_the_cpu_cannot_read) {
  test::guarded const closed(0, test::guarded::beside::first);
  auto* const nowhere = reinterpret_cast<float*>(closed.data());
  void* const default_stream = reinterpret_cast<void*>(1);  // cudaStreamLegacy
  std::vector<float> matrix(32, 3), scales(8);
  std::vector<std::byte> values(32);
  auto const said = [&](float const* source, quantized_matrix const& output, quantize_options options) {
    options.stream = default_stream;
    auto const type = element_type::f8_e4m3fn;
    return test::message_of([&] { quantize(source, element_type::f32, 4, 8, 8, type, output, {}, options); });
  };
  quantized_matrix const sound{values.data(), 8, scales.data(), 1, 1};
  auto const expect_refused = [](std::string const& message, std::string const& name) {
    EXPECT_TRUE(message.starts_with(name + " is unregistered memory that the CPU cannot read; ")) << message;
  };
  EXPECT_EQ(said(matrix.data(), sound, {}), "");
  expect_refused(said(nowhere, sound, {}), "source");
  expect_refused(said(matrix.data(), {nowhere, 8, scales.data(), 1, 1}, {}), "row_wise.values");
  expect_refused(said(matrix.data(), {values.data(), 8, nowhere, 1, 1}, {}), "row_wise.scales");
  expect_refused(said(matrix.data(), sound, {.amax = nowhere}), "options.amax");
  expect_refused(said(matrix.data(), sound, {.blocks = scale_blocks::tensor, .scale_address = nowhere}), "options.scale_address");
}

TEST(quantize_call, reads_the_scale_in_memory_and_not_the_one_in_the_options) {
  std::vector<float> const matrix(32, 3);
  std::vector<std::byte> values(32), wanted(32);
  auto const into = [&](std::vector<std::byte>& to, quantize_options const& options) {
    quantize(matrix.data(), element_type::f32, 4, 8, 8, element_type::f8_e4m3fn, {to.data(), 8}, {}, options);
  };
  float const scale = 0.5f, zero = 0;
  into(wanted, {.blocks = scale_blocks::tensor, .scale = 0.5f});
  into(values, {.blocks = scale_blocks::tensor, .scale = NAN, .scale_address = &scale});
  EXPECT_EQ(values, wanted);
  into(wanted, {.blocks = scale_blocks::tensor, .scale = 1e-30f});
  into(values, {.blocks = scale_blocks::tensor, .scale_address = &zero});
  EXPECT_EQ(values, wanted);
  float both = 1;
  EXPECT_THROW(into(values, {.blocks = scale_blocks::tensor, .scale_address = &both, .amax = &both}), error);
  auto const* const inside = reinterpret_cast<float const*>(&values[4]);
  EXPECT_THROW(into(values, {.blocks = scale_blocks::tensor, .scale_address = inside}), error);
}

TEST(quantize_call, of_8_bit_floats_has_their_scales) {
  constexpr int kRows = 3, kCols = 4;
  std::vector<float> const matrix{1, 2, 3, 4, 50, 60, 70, 80, -1, 0, 0.5f, 448};
  std::vector<std::byte> values(12), turned(12), wanted(12);
  std::vector<float> scales(kRows), turned_scales(kCols), wanted_scales(kCols);
  auto const turn = [&](quantize_options const& options, element_type type = element_type::f8_e4m3fn, void* to = nullptr) {
    quantize(values.data(), element_type::f8_e4m3fn, kRows, kCols, kCols, type, {},
             {to ? to : turned.data(), kRows, turned_scales.data(), 1, 1}, options);
  };
  // Powers of two change no bit of these numbers.
  quantize(matrix.data(), element_type::f32, kRows, kCols, kCols, element_type::f8_e4m3fn,
           {values.data(), kCols, scales.data(), 1, 1}, {wanted.data(), kRows, wanted_scales.data(), 1, 1},
           {.power_of_two = true});
  quantize_options const options{
      .source_scales = scales.data(), .source_scale_row_stride = 1, .source_scale_block_stride = 1, .power_of_two = true};
  turn(options);
  EXPECT_EQ(turned, wanted);
  EXPECT_EQ(turned_scales, wanted_scales);

  EXPECT_THROW(turn({}), error);
  EXPECT_THROW(turn(options, element_type::f8_e5m2), error);
  EXPECT_THROW(turn(options, element_type::f8_e4m3fn, &scales[1]), error);
  EXPECT_THROW(quantize(matrix.data(), element_type::f32, kRows, kCols, kCols, element_type::f8_e4m3fn,
                        {values.data(), kCols, scales.data(), 1, 1}, {}, options),
               error);
  cornerturn_quantized_matrix const output{sizeof output, turned.data(), kRows, turned_scales.data(), 1, 1};
  cornerturn_quantize_options same = CORNERTURN_QUANTIZE_OPTIONS_INIT;
  same.source_scales = scales.data(), same.source_scale_row_stride = same.source_scale_block_stride = 1, same.power_of_two = 1;
  turned.assign(turned.size(), std::byte{});
  ASSERT_EQ(cornerturn_quantize(values.data(), CORNERTURN_F8_E4M3FN, kRows, kCols, kCols, CORNERTURN_F8_E4M3FN, nullptr, &output,
                                nullptr, &same),
            CORNERTURN_OK)
      << cornerturn_last_error();
  EXPECT_EQ(turned, wanted);
}

TEST(quantize_call, is_planned_once_for_arrays_of_one_layout) {
  cache_clear();
  auto const expect = [](quantized_in_one_piece& all, std::uint64_t hits, std::uint64_t misses) {
    EXPECT_EQ(all.message(), "");
    auto const found = cache_info();
    EXPECT_EQ(std::pair(found.hits, found.misses), std::pair(hits, misses));
  };
  quantized_in_one_piece one, other;
  expect(one, 0, 1);
  expect(one, 1, 1);
  expect(other, 2, 1);
  other.row_stride = 1, other.block_stride = 4;
  expect(other, 2, 2);
  other.amax = nullptr;
  expect(other, 2, 3);
}

TEST(quantize_call, refuses_that_nothing_is_wanted) {
  std::vector<float> matrix(64);
  EXPECT_THROW(quantize(matrix.data(), element_type::f32, 4, 8, 8, element_type::f8_e4m3fn, {}, {}), error);
}

TEST(quantize_call, of_c_is_that_of_cpp) {
  std::vector<float> matrix(4 * 8), scales(8), wanted_scales(8);
  for (std::size_t i = 0; i < matrix.size(); ++i) matrix[i] = float(i) - 9;
  std::vector<std::byte> values(32), wanted(32);
  float amax = 0;
  quantize(matrix.data(), element_type::f32, 4, 8, 8, element_type::f8_e4m3fn, {}, {wanted.data(), 4, wanted_scales.data(), 1, 1},
           {.power_of_two = true});
  cornerturn_quantized_matrix const output{sizeof output, values.data(), 4, scales.data(), 1, 1};
  cornerturn_quantize_options options = CORNERTURN_QUANTIZE_OPTIONS_INIT;
  options.power_of_two = 1, options.amax = &amax;
  auto const call = [&](std::int32_t type, cornerturn_quantize_options const* with) {
    return cornerturn_quantize(matrix.data(), CORNERTURN_F32, 4, 8, 8, type, nullptr, &output, nullptr, with);
  };
  ASSERT_EQ(call(CORNERTURN_F8_E4M3FN, &options), CORNERTURN_OK) << cornerturn_last_error();
  EXPECT_EQ(values, wanted);
  EXPECT_EQ(scales, wanted_scales);
  EXPECT_EQ(amax, 22);
  EXPECT_EQ(call(CORNERTURN_F8_E4M3FN, nullptr), CORNERTURN_OK);
  EXPECT_EQ(call(CORNERTURN_F16, nullptr), CORNERTURN_BAD_ARGUMENT);
  EXPECT_EQ(cornerturn_last_error(), "type is f16; it must be " + list_text(names_of_types(is_8_bit_float)));
  options.blocks = 4;
  EXPECT_EQ(call(CORNERTURN_F8_E4M3FN, &options), CORNERTURN_BAD_ARGUMENT);
  EXPECT_STREQ(cornerturn_last_error(), "options.blocks is 4; it must be 0 to 3");
}

}  // namespace
}  // namespace cornerturn
