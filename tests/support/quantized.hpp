#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "block/sizes.hpp"
#include "element/change.hpp"
#include "kernel/alignment.hpp"
#include "kernel/quantize/job.hpp"
#include "plan/step.hpp"
#include "problem/element_types.hpp"
#include "support/all_types.hpp"

namespace cornerturn::test {

/// A matrix to quantise: its types and shape, and elements of padding behind each row of every array.
struct quantize_case {
  element_type source, destination;
  scale_blocks blocks;
  std::int64_t rows, cols, padding;
  bool power_of_two, has_rows, has_columns;

  std::string text() const {
    return fmt::format("{} x {} {} to {}, blocks {}, padding {}, power of two {}, outputs {}{}", rows, cols, name_of(source),
                       name_of(destination), int(blocks), padding, power_of_two, has_rows, has_columns);
  }
};

/// Every program, with vectors and with single elements, in tiles that are whole, cut on either side, and tiny; and rows that as
/// many threads as a warp, as several warps and as a whole block keep in registers, or that are too long for that.
inline std::vector<quantize_case> quantize_cases() {
  using enum element_type;
  std::vector<quantize_case> result;
  unsigned number = 0;
  for (auto const source : kAllTypes)
    for (auto const destination : kAllTypes) {
      if (!is_quantizable(source) || !is_8_bit_float(destination)) continue;
      if (is_8_bit_float(source) && destination != source) continue;
      for (auto const blocks : {scale_blocks::rows, scale_blocks::row_blocks, scale_blocks::squares, scale_blocks::tensor})
        for (auto const& [rows, cols, padding] :
             {std::array<std::int64_t, 3>{128, 256, 0}, {130, 144, 16}, {77, 131, 3}, {1, 5, 0}}) {
          auto const outputs = number % 3;
          result.push_back({source, destination, blocks, rows, cols, padding, number++ % 2 == 0, outputs != 1, outputs != 2});
        }
    }
  for (auto const source : {bf16, f16, f32})
    for (auto const vectors : {1, 40, 300, 513, 2100, kQuantizeThreads * kRowVectors, kQuantizeThreads * kRowVectors + 1})
      result.push_back({source, f8_e5m2, scale_blocks::rows, vectors < 2000 ? 37 : 3,
                        vectors * std::int64_t(kUnitBytes) / size_of(source), 16, false, true, false});
  return result;
}

/// Any of these, with other shapes and blocks.
inline quantize_case random_quantize_case(std::mt19937& generator) {
  static auto const all = quantize_cases();
  auto result = all[generator() % all.size()];
  auto const extent = [&](std::int64_t most) { return 1 + std::int64_t(generator()) % most; };
  result.rows = extent(300), result.cols = extent(300), result.padding = generator() % 2 ? 0 : extent(40);
  if (generator() % 3 == 0)
    result.cols = result.cols / 16 * 16 + 16, result.rows = result.rows / 16 * 16 + 16, result.padding = 0;
  result.power_of_two = generator() % 2;
  return result;
}

/// The arrays of a case in host memory. Sources and their scales have any numbers, few of them infinite or NaN.
struct quantized_arrays {
  quantize_layout layout;
  quantize_call call;
  std::vector<std::byte> elements, rows, columns;
  std::vector<float> source_scales, row_scales, column_scales;
  float amax = 3e38f, scale = 0.25f;  ///< the amax of an earlier call

  explicit quantized_arrays(quantize_case const& each, unsigned seed = 25) {
    auto const pitch = each.cols + each.padding, column_pitch = each.rows + each.padding;
    elements.resize(std::size_t(each.rows * pitch * size_of(each.source)));
    std::mt19937 generator(seed);
    std::normal_distribution<float> normal;
    for (std::int64_t i = 0; i < each.rows * pitch; ++i) {
      auto const drawn = generator() % 5000;
      float const number = drawn == 0    ? INFINITY
                           : drawn == 1  ? NAN
                           : drawn < 100 ? 0
                           : drawn < 110 ? normal(generator) * 1e-39f
                                         : normal(generator) * 10;
      element::visit_type(each.source, [&]<class S>(S) {
        if constexpr (!element::kIsComplex<S>) {
          S const rounded = element::element_of<S>(number, false);
          std::memcpy(&elements[std::size_t(i) * sizeof(S)], &rounded, sizeof(S));
        }
      });
    }
    if (is_8_bit_float(each.source)) {
      // Half of the matrices have powers of two.
      bool const are_powers = generator() % 2;
      source_scales.resize(std::size_t(each.rows * kScaleBlocks));
      for (float& scale : source_scales) {
        auto const drawn = generator() % 1000;
        scale = drawn == 0   ? INFINITY
                : drawn == 1 ? NAN
                : drawn == 2 ? 0
                : drawn == 3 ? -1
                             : std::ldexp(are_powers ? 1.0f : 1 + std::abs(normal(generator)), int(generator() % 20) - 15);
      }
    }
    rows.assign(std::size_t(each.rows * pitch), std::byte{0x31}),
        columns.assign(std::size_t(each.cols * column_pitch), std::byte{0x31});
    row_scales.assign(std::size_t(each.rows * kScaleBlocks), -1), column_scales.assign(std::size_t(each.cols * kScaleBlocks), -1);
    // Without other scales there are no powers of two: then half of the cases have the scale in memory.
    bool const reads_scale = each.blocks == scale_blocks::tensor && each.power_of_two;
    layout = {.source_type = each.source,
              .type = each.destination,
              .rows = each.rows,
              .cols = each.cols,
              .pitch = pitch,
              .blocks = each.blocks,
              .recipe = {.largest = element::largest_number(each.destination), .power_of_two = each.power_of_two},
              .reads_scale = reads_scale,
              .source_alignment = aligned(elements),
              .row_wise = {each.has_rows, aligned(rows), pitch, kScaleBlocks, 1},
              .column_wise = {each.has_columns, aligned(columns), column_pitch, 1, each.cols},
              .finds_amax = true};
    if (!source_scales.empty()) layout.source_scale_row_stride = 1, layout.source_scale_block_stride = each.rows;
    call = {.source = elements.data(),
            .source_scales = source_scales.empty() ? nullptr : source_scales.data(),
            .scale_address = reads_scale ? &scale : nullptr,
            .row_values = rows.data(),
            .column_values = columns.data(),
            .row_scales = row_scales.data(),
            .column_scales = column_scales.data(),
            .amax = &amax,
            .given = reads_scale ? element::block_scale{} : element::block_scale{scale, 1 / scale}};
  }
  quantized_arrays(quantized_arrays const&) = delete;

  quantization given() const { return quantization_of(layout, call); }

  /// What the steps of a plan need besides a workspace.
  plan_memory memory() { return {.destination = call.amax, .call = &call}; }

  /// NaN has one code in the results of both, but for its sign.
  bool operator==(quantized_arrays const& other) const {
    auto const same_codes = [&](auto const& a, auto const& b) {
      for (std::size_t i = 0; i < a.size(); ++i)
        if (a[i] != b[i] && !(is_nan(a[i]) && is_nan(b[i]))) return false;
      return true;
    };
    auto const same = [](float a, float b) { return a == b || (a != a && b != b); };
    return same_codes(rows, other.rows) && same_codes(columns, other.columns) &&
           std::ranges::equal(row_scales, other.row_scales, same) &&
           std::ranges::equal(column_scales, other.column_scales, same) && same(amax, other.amax);
  }

 private:
  static constexpr std::int64_t kScaleBlocks = 8;  ///< more than a row has

  static int aligned(std::vector<std::byte> const& array) { return alignment_of(array.data(), nullptr).source; }

  bool is_nan(std::byte code) const {
    return element::visit_type(layout.type, [&]<class T>(T) {
      if constexpr (element::small_float<T>) return std::isnan(element::value_of(unsigned(code), T::kFormat));
      return false;
    });
  }
};

}  // namespace cornerturn::test
