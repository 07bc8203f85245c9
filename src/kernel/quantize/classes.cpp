#include <algorithm>

#include "kernel/quantize/plan.hpp"
#include "launch/group_blocks.hpp"

namespace cornerturn {

std::vector<block_class> classes_of(quantize_plan const& plan, array_addresses const&) {
  auto const job = plan.job();
  auto const scale_bytes = std::int64_t(sizeof(float));
  if (plan.form == quantize_form::rows) {
    auto const rows = std::int64_t(kQuantizeThreads / job.row_threads);
    return grouped(plan.blocks(), [&](std::int64_t index, block_kind& kind) {
      auto const row = index * rows;
      kind = {in_line(row * job.pitch * size_of(job.source_type)), in_line(row * job.row_wise.pitch),
              in_line(row * job.row_wise.scale_row_stride * scale_bytes), std::min(job.rows - row, rows)};
    });
  }
  return grouped(job.tiles(), [&](std::int64_t index, block_kind& kind) {
    auto const tile = plan.form == quantize_form::amax ? job.tiles() - 1 - index : index;
    auto const tile_row = tile / job.tile_cols(), tile_col = tile % job.tile_cols();
    auto const row = tile_row * kScaleTile, col = tile_col * kScaleTile;
    auto const write_output = [&](quantized_matrix const& output, std::int64_t first, std::int64_t along) {
      kind.push_back(in_line(first * output.pitch + along * kScaleTile));
      // A single scale costs the same wherever it is.
      if (!job.has_scales_of_rows()) return;
      auto const scale = (first * output.scale_row_stride + along * output.scale_block_stride) * scale_bytes;
      kind.push_back(job.stores_scales(along) ? in_line(scale) : kLineBytes);
    };
    kind = {in_line((row * job.pitch + col) * size_of(job.source_type)),
            in_line((row * job.source_scale_row_stride + tile_col * job.source_scale_block_stride) * scale_bytes),
            std::min<std::int64_t>(job.rows - row, kScaleTile), std::min<std::int64_t>(job.cols - col, kScaleTile)};
    if (plan.form == quantize_form::amax) return;
    write_output(job.row_wise, row, tile_col);
    write_output(job.column_wise, col, tile_row);
  });
}

}  // namespace cornerturn
