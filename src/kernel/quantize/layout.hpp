#pragma once

#include <cstdint>

#include "block/sizes.hpp"
#include "cornerturn/quantize.hpp"
#include "element/block_scale.hpp"

namespace cornerturn {

/// An output of a matrix to quantise. Strides count elements, as in `quantized_matrix`.
struct quantize_output {
  bool is_wanted = false;
  int alignment = kUnitBytes;  ///< bytes to which the address of the values is aligned on a GPU
  std::int64_t pitch = 0, scale_row_stride = 0, scale_block_stride = 0;
};

/// A matrix to quantise, without the addresses of its arrays: all that plans depend on. Strides count elements.
struct quantize_layout {
  element_type source_type = element_type::bf16, type = element_type::f8_e4m3fn;
  std::int64_t rows = 0, cols = 0, pitch = 0;
  scale_blocks blocks = scale_blocks::row_blocks;
  element::scale_recipe recipe = {};
  bool reads_scale = false;           ///< with `scale_blocks::tensor`: the scale is in memory
  int source_alignment = kUnitBytes;  ///< bytes to which the source's address is aligned on a GPU
  std::int64_t source_scale_row_stride = 0, source_scale_block_stride = 0;  ///< as in `quantize_options`
  quantize_output row_wise = {}, column_wise = {};
  bool finds_amax = false;  ///< the largest magnitude of all elements is wanted

  bool is_empty() const { return rows == 0 || cols == 0; }
};

/// What a call gives to a plan for its layout: the addresses of the arrays, and the scale of `scale_blocks::tensor`.
struct quantize_call {
  void const* source = nullptr;
  float const *source_scales = nullptr, *scale_address = nullptr;  ///< as in `quantize_options`
  void *row_values = nullptr, *column_values = nullptr;
  float *row_scales = nullptr, *column_scales = nullptr;
  float* amax = nullptr;  ///< as in `quantize_options`
  element::block_scale given = {};
};

}  // namespace cornerturn
