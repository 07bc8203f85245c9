#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "element/apply.hpp"
#include "element/block_scale.hpp"
#include "element/select.hpp"
#include "kernel/quantize/job.hpp"
#include "problem/element_types.hpp"

namespace cornerturn::test {

/// The numbers of a matrix to quantise, row by row: its elements times their scales.
inline std::vector<float> numbers_of(quantization const& given, void const* source) {
  std::vector<float> result(std::size_t(given.rows * given.cols));
  element::visit_type(given.source_type, [&]<class S>(S) {
    if constexpr (!element::kIsComplex<S>)
      for (std::int64_t r = 0; r < given.rows; ++r)
        for (std::int64_t c = 0; c < given.cols; ++c) {
          S each;
          std::memcpy(&each, static_cast<std::byte const*>(source) + (r * given.pitch + c) * std::int64_t(sizeof(S)), sizeof(S));
          auto const scale =
              given.source_scales
                  ? given.source_scales[r * given.source_scale_row_stride + c / kScaleTile * given.source_scale_block_stride]
                  : element::kNoScale<float>;
          result[std::size_t(r * given.cols + c)] = element::scaled<float>(each, scale, element::kNoBias<float>, false);
        }
  });
  return result;
}

/// Writes one output: number_at(row, col) is the number that becomes value (row, col) of the output's `rows` x `cols`.
template <class NumberAt>
void quantize_output_plainly(quantization const& given, quantized_matrix const& output, std::int64_t rows, std::int64_t cols,
                             NumberAt const& number_at) {
  std::int64_t const tall = given.blocks == scale_blocks::squares ? kScaleTile : 1,
                     wide = given.blocks == scale_blocks::rows ? cols : kScaleTile;
  for (std::int64_t row = 0; row < rows; row += tall)
    for (std::int64_t col = 0; col < cols; col += wide) {
      auto const row_end = std::min(rows, row + tall), col_end = std::min(cols, col + wide);
      std::int32_t most = 0;
      for (auto r = row; r < row_end; ++r)
        for (auto c = col; c < col_end; ++c) most = std::max(most, element::magnitude_bits(number_at(r, c)));
      auto by = element::given_scale(given.scale_address ? *given.scale_address : given.given.scale);
      if (given.blocks != scale_blocks::tensor) {
        by = element::scale_of(std::bit_cast<float>(most), given.recipe);
        output.scales[row / tall * output.scale_row_stride + col / wide * output.scale_block_stride] = by.scale;
      }
      element::visit_type(given.type, [&]<class D>(D) {
        if constexpr (sizeof(D) == 1)
          for (auto r = row; r < row_end; ++r)
            for (auto c = col; c < col_end; ++c) {
              D const value = element::scaled<D>(number_at(r, c), by.factor, element::kNoBias<float>, true);
              std::memcpy(static_cast<std::byte*>(output.values) + r * output.pitch + c, &value, 1);
            }
      });
    }
}

/// Quantises element by element, as quantize.hpp defines it.
inline void quantize_plainly(quantization const& given, void const* source) {
  auto const numbers = numbers_of(given, source);
  auto const number_at = [&](std::int64_t r, std::int64_t c) { return numbers[std::size_t(r * given.cols + c)]; };
  if (given.row_wise.values) quantize_output_plainly(given, given.row_wise, given.rows, given.cols, number_at);
  if (given.column_wise.values)
    quantize_output_plainly(given, given.column_wise, given.cols, given.rows,
                            [&](std::int64_t r, std::int64_t c) { return number_at(c, r); });
  if (!given.amax) return;
  std::int32_t most = 0;
  for (float const each : numbers) most = std::max(most, element::magnitude_bits(each));
  *given.amax = std::bit_cast<float>(most);
}

}  // namespace cornerturn::test
