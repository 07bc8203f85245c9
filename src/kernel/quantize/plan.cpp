#include "kernel/quantize/plan.hpp"

#include <algorithm>

#include "block/sizes.hpp"
#include "launch/group_blocks.hpp"
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

std::vector<block_class> classes_of(quantize_plan const& plan, array_addresses const&) {
  auto const& job = plan.job;
  auto const size = size_of(job.source_type);
  return grouped(job.tile_rows() * job.tile_cols(), [&](std::int64_t index, block_kind& kind) {
    auto const row = index / job.tile_cols() * kScaleTile, col = index % job.tile_cols() * kScaleTile;
    kind = {in_line((row * job.pitch + col) * size),
            in_line(row * job.row_wise.pitch + col),
            in_line(col * job.column_wise.pitch + row),
            std::min<std::int64_t>(job.rows - row, kScaleTile),
            std::min<std::int64_t>(job.cols - col, kScaleTile),
            index};  // the places of scales differ
  });
}

}  // namespace cornerturn
