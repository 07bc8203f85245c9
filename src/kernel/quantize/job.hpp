#pragma once

#include <cstdint>

#include "base/round.hpp"
#include "kernel/quantize/layout.hpp"

namespace cornerturn {

/// Rows of a tile, and its columns. A tile has whole blocks of scales.
inline constexpr int kScaleTile = 128;
static_assert(kScaleTile == kScaleBlocks[int(scale_blocks::squares)].rows);
inline constexpr int kQuantizeThreads = 256;  ///< threads of a block of the kernels
inline constexpr int kRowVectors = 8;         ///< 16-byte vectors of a row that a thread of `quantize_rows` keeps in registers

/// A matrix to quantise, with the addresses of its arrays. Strides count elements.
struct quantization {
  element_type source_type = element_type::bf16, type = element_type::f8_e4m3fn;
  std::int64_t rows = 0, cols = 0, pitch = 0;
  scale_blocks blocks = scale_blocks::row_blocks;
  element::scale_recipe recipe;
  element::block_scale given;            ///< with `scale_blocks::tensor`
  float const* scale_address = nullptr;  ///< as in `quantize_options`
  float const* source_scales = nullptr;  ///< as in `quantize_options`, and so are the strides
  std::int64_t source_scale_row_stride = 0, source_scale_block_stride = 0;
  quantized_matrix row_wise, column_wise;
  float* amax = nullptr;  ///< as in `quantize_options`
  /// With two launches: the largest magnitudes of the matrix's rows and then of its columns, as bits of floats. They are 0 at
  /// first, and the first launch finds the magnitudes that an output needs.
  std::int32_t* line_amax = nullptr;

  constexpr std::int64_t tile_rows() const { return ceil_div(rows, kScaleTile); }
  constexpr std::int64_t tile_cols() const { return ceil_div(cols, kScaleTile); }
  constexpr std::int64_t tiles() const { return tile_rows() * tile_cols(); }

  constexpr std::int64_t line_amax_bytes() const { return (rows + cols) * std::int64_t(sizeof(*line_amax)); }
  constexpr std::int32_t* row_amax(std::int64_t row) const { return line_amax + row; }
  constexpr std::int32_t* column_amax(std::int64_t column) const { return line_amax + rows + column; }

  /// True if rows of an output have scales of their own, one or several.
  constexpr bool has_scales_of_rows() const { return blocks == scale_blocks::rows || blocks == scale_blocks::row_blocks; }
  /// True if the tile at this place along a row stores scales of rows: one scale of a row belongs to its first tile.
  constexpr bool stores_scales(std::int64_t along) const { return blocks != scale_blocks::rows || along == 0; }
};

/// A layout with the arrays of a call.
inline quantization quantization_of(quantize_layout const& layout, quantize_call const& call) {
  auto const output = [](quantize_output const& each, void* values, float* scales) -> quantized_matrix {
    if (!each.is_wanted) return {};
    return {values, each.pitch, scales, each.scale_row_stride, each.scale_block_stride};
  };
  return {.source_type = layout.source_type,
          .type = layout.type,
          .rows = layout.rows,
          .cols = layout.cols,
          .pitch = layout.pitch,
          .blocks = layout.blocks,
          .recipe = layout.recipe,
          .given = call.given,
          .scale_address = call.scale_address,
          .source_scales = call.source_scales,
          .source_scale_row_stride = layout.source_scale_row_stride,
          .source_scale_block_stride = layout.source_scale_block_stride,
          .row_wise = output(layout.row_wise, call.row_values, call.row_scales),
          .column_wise = output(layout.column_wise, call.column_values, call.column_scales),
          .amax = call.amax};
}

}  // namespace cornerturn
