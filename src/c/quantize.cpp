#include <cstdint>
#include <string_view>

#include "c/call.hpp"
#include "cornerturn/cornerturn.h"
#include "cornerturn/quantize.hpp"

namespace cornerturn {
namespace {

static_assert(int(scale_blocks::squares) == CORNERTURN_SCALE_SQUARES && int(scale_blocks::rows) == CORNERTURN_SCALE_ROWS);

quantized_matrix matrix_of(std::string_view name, cornerturn_quantized_matrix const* given) {
  if (!given) return {};
  refuse_size(*given, "cornerturn_quantized_matrix", name);
  return {.values = given->values,
          .pitch = given->pitch,
          .scales = given->scales,
          .scale_row_stride = given->scale_row_stride,
          .scale_block_stride = given->scale_block_stride};
}

quantize_options options_of(cornerturn_quantize_options const* given, void* stream) {
  if (!given) return {.stream = stream};
  refuse_size(*given, "cornerturn_quantize_options");
  return {.blocks = enum_of("options.blocks", given->blocks, scale_blocks::squares),
          .scale = given->scale,
          .scale_address = given->scale_address,
          .source_scales = given->source_scales,
          .source_scale_row_stride = given->source_scale_row_stride,
          .source_scale_block_stride = given->source_scale_block_stride,
          .least = given->least,
          .power_of_two = given->power_of_two != 0,
          .amax = given->amax,
          .processor = processor_of(given->processor),
          .stream = stream,
          .device = given->device,
          .threads = given->threads};
}

}  // namespace
}  // namespace cornerturn

using namespace cornerturn;

cornerturn_status cornerturn_quantize(void const* source, std::int32_t source_type, std::int64_t rows, std::int64_t cols,
                                      std::int64_t pitch, std::int32_t type, cornerturn_quantized_matrix const* row_wise,
                                      cornerturn_quantized_matrix const* column_wise, void* stream,
                                      cornerturn_quantize_options const* options) {
  return guarded([&] {
    quantize(source, enum_of("source_type", source_type, kLastElementType), rows, cols, pitch,
             enum_of("type", type, kLastElementType), matrix_of("row_wise", row_wise), matrix_of("column_wise", column_wise),
             options_of(options, stream));
  });
}
