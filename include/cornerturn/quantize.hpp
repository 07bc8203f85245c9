#pragma once

#include "cornerturn/cxx20.hpp"

#include <cstdint>
#include <string_view>

#include "cornerturn/element_operation.hpp"
#include "cornerturn/export.h"
#include "cornerturn/processor.hpp"

namespace cornerturn {

/// The elements of a matrix that share a scale. Blocks at the end of a row, or of the matrix, may be smaller.
enum class scale_blocks : std::int32_t {
  tensor,      ///< all elements; the scale is given
  rows,        ///< a row of the output; a GPU reads the source twice, or once if rows of at most 32 KiB are the only output
  row_blocks,  ///< 128 elements of a row of the output ("1x128")
  squares,     ///< 128 x 128 elements
};

/// The names of a kind of scales, and its blocks.
struct scale_blocks_row {
  std::string_view name;    ///< on the command line
  std::string_view text;    ///< in descriptions
  std::int64_t rows, cols;  ///< elements of a block; 0: all of the output
};

/// The rows of `scale_blocks`, in their order.
inline constexpr scale_blocks_row kScaleBlocks[] = {{"given", "a given scale", 0, 0},
                                                    {"rows", "scales of rows", 1, 0},
                                                    {"1x128", "scales of 1x128", 1, 128},
                                                    {"128x128", "scales of 128x128", 128, 128}};

/// An output of `quantize`: the values and their scales. A value times its scale is about the number. With `row_blocks` each row
/// of values has a row of scales, one for each block. With `squares` every 128 rows have a row of scales. With `rows` a row has a
/// single scale.
struct quantized_matrix {
  void* values = nullptr;   ///< null: this output is not wanted
  std::int64_t pitch = 0;   ///< elements from one row of the values to the next
  float* scales = nullptr;  ///< unused with `scale_blocks::tensor`
  /// Elements from a row of scales to the next, and from a block's scale to the next.
  std::int64_t scale_row_stride = 0, scale_block_stride = 0;
};

/// Options of `quantize`.
struct quantize_options {
  scale_blocks blocks = scale_blocks::row_blocks;
  float scale = 1;  ///< with `scale_blocks::tensor`: a value times the scale is about the number
  /// With `scale_blocks::tensor`, unless null: the address of the scale, in place of `scale`. It is in the same memory as the
  /// source, and is read together with the matrix, so the host need not know it. A scale below 1e-30 counts as 1e-30.
  float const* scale_address = nullptr;
  /// The scales of a source of 8-bit floats, in the same memory: one for each 128 elements of a row. Other sources have none.
  float const* source_scales = nullptr;
  /// Elements from one row's scales to the next row's, and from a block's scale to the next.
  std::int64_t source_scale_row_stride = 0, source_scale_block_stride = 0;
  float least = 1e-12f;       ///< the least amax that counts, at least 1e-30
  bool power_of_two = false;  ///< scales are rounded up to powers of two
  /// Receives the largest magnitude of all elements, for the scale of a later call: 0 if there are none. Null: not wanted.
  float* amax = nullptr;
  processor_kind processor = processor_kind::automatic;
  void* stream = nullptr;  ///< as in `copy_options`
  int device = -1;         ///< as in `copy_options`
  int threads = 0;         ///< as in `copy_options`
};

/// Quantises a matrix to 8-bit floats, along its rows, along its columns (values and blocks are of the transposed matrix), or
/// both from one read.
///
/// The scale of a block is s = max(amax, least) / m, where amax is the largest magnitude in the block and m is the largest number
/// of the 8-bit type (e.g. 448 for f8_e4m3fn). With `power_of_two`, s is rounded up to a power of two. A value is x * (m /
/// max(amax, least)), or x * (1 / s) if the scale is given or a power of two. It is computed with 32 bits, rounded to the
/// nearest, ties to even, and limited to m. NaN in a block makes its amax, its scale and its values NaN. In a block with
/// infinity, finite numbers become 0 and infinity becomes NaN.
///
/// A source of 8-bit floats has a scale for each 128 elements of a row (`source_scales`), and becomes the same type with other
/// scales. Its numbers are value * scale, rounded to 32 bits. If the old and the new scales are powers of two (`power_of_two`),
/// only the exponent of a value changes. The exception are numbers that become subnormal because the new block has much larger
/// ones: they lose bits and are rounded.
///
/// `pitch` is the number of elements from one row of the source to the next. All arrays are in host memory, or all are in the
/// memory of one GPU, where the call only enqueues the work; with `scale_blocks::rows` it also allocates 4 bytes a row and a
/// column, in stream order. Throws `error` for
/// - a source that is not quantizable, a type that is no 8-bit float, and a source of 8-bit floats of another type,
/// - negative sizes, a pitch less than a row, and null pointers,
/// - an array that is written (values, scales, amax) and overlaps another array of the call, which is decided by address range,
/// - strides of scales by which two scales of an output might have one address,
/// - addresses on a GPU that are not aligned to their elements, and memory or a processor that does not support the call,
/// - a scale or `least` out of its range.
///
/// ```cpp
/// std::vector<float> matrix(128 * 256, 3), scales(128 * 2);
/// std::vector<std::uint8_t> values(matrix.size());
/// cornerturn::quantize(
///     matrix.data(), cornerturn::element_type::f32, 128, 256, 256, cornerturn::element_type::f8_e4m3fn,
///     {.values = values.data(), .pitch = 256, .scales = scales.data(), .scale_row_stride = 2, .scale_block_stride = 1}, {});
/// ```
CORNERTURN_API void quantize(void const* source, element_type source_type, std::int64_t rows, std::int64_t cols,
                             std::int64_t pitch, element_type type, quantized_matrix const& row_wise,
                             quantized_matrix const& column_wise, quantize_options const& options = {});

}  // namespace cornerturn
