#include "kernel/quantize/plan.hpp"

#include <fmt/format.h>

#include <cstdint>

#include "block/sizes.hpp"
#include "cornerturn/text.hpp"
#include "problem/element_types.hpp"

namespace cornerturn {

quantize_plan plan_quantize(quantization const& given, void const* source) {
  auto const is_aligned = [](void const* pointer, std::int64_t bytes) {
    return reinterpret_cast<std::uintptr_t>(pointer) % kUnitBytes == 0 && bytes % kUnitBytes == 0;
  };
  auto const size = size_of(given.source_type);
  return {{given, is_aligned(source, given.pitch * size) && given.cols * size % kUnitBytes == 0,
           is_aligned(given.row_wise.values, given.row_wise.pitch),
           is_aligned(given.column_wise.values, given.column_wise.pitch)}};
}

std::string_view idea_of(quantize_plan const&) {
  return "a tile in shared memory, from which blocks get their scales and outputs their values";
}

std::string describe(quantize_plan const& plan) {
  auto const& job = plan.job;
  constexpr std::string_view kScales[] = {"a given scale", "scales of rows", "scales of 1x128", "scales of 128x128"};
  auto const stores = [](quantized_matrix const& output, bool vectors, std::string_view along) {
    return output.values ? fmt::format(", stores of {} along {}", vectors ? kUnitBytes : 1, along) : "";
  };
  return fmt::format("quantize {} to {}, {}, {} threads: {} of {}x{} elements, loads of {}{}{}", name_of(job.source_type),
                     name_of(job.type), kScales[int(job.blocks)], kQuantizeThreads,
                     count_text(job.tile_rows() * job.tile_cols(), "block"), kScaleTile, kScaleTile,
                     job.reads_vectors ? kUnitBytes / size_of(job.source_type) : 1, stores(job.row_wise, job.writes_rows, "rows"),
                     stores(job.column_wise, job.writes_columns, "columns"));
}

}  // namespace cornerturn
