#include "cornerturn/quantize.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>

#include "api/memory.hpp"
#include "api/one_shot.hpp"
#include "api/prepare.hpp"
#include "api/quantize.hpp"
#include "base/refuse.hpp"
#include "cornerturn/text.hpp"
#include "element/small_float.hpp"
#include "engine/gpu/devices.hpp"
#include "kernel/alignment.hpp"
#include "kernel/quantize/job.hpp"
#include "problem/validate.hpp"

namespace cornerturn {
namespace {

/// The scales of a source of this shape, which only 8-bit floats have.
named_bytes scales_read(element_type source_type, std::int64_t rows, std::int64_t cols, quantize_options const& options) {
  auto const* const scales = options.source_scales;
  if (!is_8_bit_float(source_type)) {
    if (scales) refuse("options.source_scales", "an address", fmt::format("null for a source of {}", name_of(source_type)));
    return {"options.source_scales", nullptr, {}};
  }
  if (!scales && rows > 0 && cols > 0)
    refuse("options.source_scales", "null", fmt::format("an address for a source of {}", name_of(source_type)));
  problem const read{
      .modes = {{rows, options.source_scale_row_stride, 0}, {ceil_div(cols, kScaleTile), options.source_scale_block_stride, 0}},
      .element_size = sizeof(*scales)};
  return {"options.source_scales", scales, source_range(read)};
}

/// The bytes of an output's scales. Throws `error` if two scales might have one address.
byte_range scales_written(std::string_view name, quantized_matrix const& output, std::int64_t rows, std::int64_t cols,
                          scale_blocks blocks) {
  auto const scale_rows = blocks == scale_blocks::squares ? ceil_div(rows, kScaleTile) : rows,
             scale_cols = blocks == scale_blocks::rows ? 1 : ceil_div(cols, kScaleTile);
  problem const scales{.modes = {{scale_rows, 0, output.scale_row_stride}, {scale_cols, 0, output.scale_block_stride}},
                       .element_size = sizeof(*output.scales)};
  auto const result = destination_range(scales);
  if (result == byte_range{}) return result;
  if (auto const found = find_overlapping_mode(scales))
    refuse(fmt::format("{}.{}", name, found->number == 0 ? "scale_row_stride" : "scale_block_stride"),
           scales.modes[found->number].destination_stride,
           fmt::format("{} or more in magnitude, so that no two scales overlap", found->span + 1));
  return result;
}

/// Checks an output of `rows` rows and `cols` columns by the rules of the destination of a copy. Returns the bytes of its values
/// and of its scales. `names` has the names of the output, of its values and of its scales.
std::array<named_bytes, 2> written_by(std::array<std::string_view, 3> const& names, quantized_matrix const& output,
                                      std::int64_t rows, std::int64_t cols, scale_blocks blocks) {
  named_bytes values{names[1], output.values, {}}, scales{names[2], nullptr, {}};
  if (!output.values) return {values, scales};
  bool const has_scales = blocks != scale_blocks::tensor;
  if (output.pitch < cols) refuse(fmt::format("{}.pitch", names[0]), output.pitch, fmt::format("{} or more, a row", cols));
  if (has_scales && !output.scales && rows > 0) refuse(names[2], "null", "an address");
  problem const written{.modes = {{rows, 0, output.pitch}, {cols, 0, 1}}, .element_size = 1};
  validate(written);
  values.range = destination_range(written);
  if (has_scales && values.range != byte_range{})
    scales.address = output.scales, scales.range = scales_written(names[0], output, rows, cols, blocks);
  return {values, scales};
}

/// Throws `error` if an array that is written overlaps another array.
void refuse_overlaps(std::initializer_list<named_bytes> written, std::span<named_bytes const> read) {
  for (auto const* each = written.begin(); each != written.end(); ++each) {
    for (auto const& input : read) refuse_overlap(*each, input);
    for (auto const* other = written.begin(); other != each; ++other) refuse_overlap(*each, *other);
  }
}

/// The placement of a call that reads and writes these arrays; null pointers are ignored. Throws `error` if there are no outputs,
/// or if no place can access all arrays.
placement placement_of_all(std::initializer_list<void const*> inputs, std::initializer_list<void const*> outputs,
                           copy_options const& options) {
  std::optional<placement> result;
  for (void const* const input : inputs)
    for (void const* const output : outputs) {
      if (!input || !output) continue;
      auto const each = placement_of(input, output, options);
      if (!result) result = each;
      if (each.place != result->place) refuse("an array", "in other memory than another one", "in the same, on one processor");
      result->waits |= each.waits;
    }
  if (!result) refuse("an output", "null", "an address, since there is something to move");
  return *result;
}

}  // namespace

void expect_quantizable(element_type source, element_type type) {
  if (!is_quantizable(source)) refuse("source_type", name_of(source), list_text(names_of_types(is_quantizable)));
  if (!is_8_bit_float(type)) refuse("type", name_of(type), list_text(names_of_types(is_8_bit_float)));
  if (is_8_bit_float(source) && type != source)
    refuse("type", name_of(type), fmt::format("{}, the type of the source", name_of(source)));
}

void quantize(void const* source, element_type source_type, std::int64_t rows, std::int64_t cols, std::int64_t pitch,
              element_type type, quantized_matrix const& row_wise, quantized_matrix const& column_wise,
              quantize_options const& options) {
  expect_quantizable(source_type, type);
  if (rows < 0) refuse("rows", rows, "0 or more");
  if (cols < 0) refuse("cols", cols, "0 or more");
  if (pitch < cols) refuse("pitch", pitch, fmt::format("{} or more, a row", cols));
  if (!(options.least >= element::kLeastScale) || !std::isfinite(options.least))
    refuse("options.least", options.least, fmt::format("{} or more, and finite", element::kLeastScale));
  bool const is_given = options.blocks == scale_blocks::tensor;
  auto const* const scale_address = is_given ? options.scale_address : nullptr;
  if (is_given && !scale_address && !(options.scale >= element::kLeastScale && options.scale <= 1 / element::kLeastScale))
    refuse("options.scale", options.scale, fmt::format("from {} to {}", element::kLeastScale, 1 / element::kLeastScale));
  int const threads = threads_given(options.threads);
  problem const read{.modes = {{rows, pitch, pitch}, {cols, 1, 1}}, .element_size = size_of(source_type)};
  validate(read);
  bool const is_empty = rows == 0 || cols == 0;
  if (!is_empty) refuse_null("source", source);
  std::array const inputs{named_bytes{"the source", source, source_range(read)},
                          named_bytes{"options.scale_address", scale_address, {0, sizeof(float)}},
                          scales_read(source_type, rows, cols, options)};
  auto const [row_values, row_scale_bytes] =
      written_by({"row_wise", "row_wise.values", "row_wise.scales"}, row_wise, rows, cols, options.blocks);
  auto const [column_values, column_scale_bytes] =
      written_by({"column_wise", "column_wise.values", "column_wise.scales"}, column_wise, cols, rows, options.blocks);
  refuse_overlaps({row_values, row_scale_bytes, column_values, column_scale_bytes,
                   named_bytes{"options.amax", options.amax, {0, sizeof(float)}}},
                  inputs);
  if (is_empty && !options.amax) return;
  auto const scales_of = [&](quantized_matrix const& output) { return output.values && !is_given ? output.scales : nullptr; };
  auto const* const row_scales = scales_of(row_wise);
  auto const* const column_scales = scales_of(column_wise);
  auto const common = places_in(options);
  auto const [place, waits, reported] =
      is_empty ? placement_of(options.amax, common)
               : placement_of_all({source, scale_address, options.source_scales},
                                  {row_wise.values, column_wise.values, row_scales, column_scales, options.amax}, common);
  bool const on_gpu = place != kHost;
  auto const aligned = [&](void const* address) {
    return on_gpu && address ? alignment_of(address, nullptr).source : kUnitBytes;
  };
  auto const layout_of = [&](quantized_matrix const& output) -> quantize_output {
    if (!output.values) return {};
    return {true, aligned(output.values), output.pitch, output.scale_row_stride, output.scale_block_stride};
  };
  quantize_layout const layout{.source_type = source_type,
                               .type = type,
                               .rows = rows,
                               .cols = cols,
                               .pitch = pitch,
                               .blocks = options.blocks,
                               .recipe = {element::largest_number(type), options.least, options.power_of_two},
                               .reads_scale = scale_address != nullptr,
                               .source_alignment = aligned(source),
                               .source_scale_row_stride = options.source_scale_row_stride,
                               .source_scale_block_stride = options.source_scale_block_stride,
                               .row_wise = layout_of(row_wise),
                               .column_wise = layout_of(column_wise),
                               .finds_amax = options.amax != nullptr};
  struct array {
    std::string_view name;
    void const* address;
    std::int64_t element_size;  ///< bytes
  };
  array const arrays[] = {{"source", source, size_of(source_type)},
                          {"row_wise.values", row_wise.values, 1},
                          {"row_wise.scales", row_scales, sizeof(float)},
                          {"column_wise.values", column_wise.values, 1},
                          {"column_wise.scales", column_scales, sizeof(float)},
                          {"options.scale_address", scale_address, sizeof(float)},
                          {"options.source_scales", options.source_scales, sizeof(float)},
                          {"options.amax", options.amax, sizeof(float)}};
  if (on_gpu) {
    for (auto const& each : arrays) refuse_misaligned(each.name, each.address, each.element_size, " on a GPU");
  } else {
    if (options.processor == processor_kind::gpu) refuse("processor", "gpu", "automatic or cpu for host memory");
    for (auto const& each : arrays) refuse_unreadable(each.name, each.address, options.stream);
  }
  where const at(place, {layout.source_alignment, std::min(layout.row_wise.alignment, layout.column_wise.alignment)}, threads);
  auto const plan = one_shot_plan(key_of(layout, at).words(), [&] { return prepare_quantize(layout, at); });
  if (waits) gpu::synchronize(options.stream);
  quantize_call call{.source = source,
                     .source_scales = options.source_scales,
                     .scale_address = scale_address,
                     .row_values = row_wise.values,
                     .column_values = column_wise.values,
                     .row_scales = row_wise.scales,
                     .column_scales = column_wise.scales,
                     .amax = options.amax,
                     .given = element::given_scale(options.scale)};
  move(*plan, {.destination = options.amax, .call = &call}, options.stream);
}

}  // namespace cornerturn
