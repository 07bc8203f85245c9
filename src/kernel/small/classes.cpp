#include <algorithm>

#include "kernel/small/plan.hpp"
#include "launch/group_blocks.hpp"

namespace cornerturn {

std::vector<block_class> classes_of(small_plan const& plan, array_addresses const&) {
  auto const& job = plan.job;
  auto const tile = plan.shape();
  std::int64_t const size = plan.element_size;
  return grouped(plan.blocks, [&](std::int64_t index, block_kind& kind) {
    int row, col, matrix;
    job.tiles_down(matrix, row, int(index));
    job.tiles_across(matrix, col, matrix);
    std::int64_t const first_row = row * tile.rows, first_col = col * tile.cols,
                       source = matrix * job.source_batch_stride + first_row * job.source_pitch + first_col,
                       destination = matrix * job.destination_batch_stride + first_col * job.destination_pitch + first_row;
    kind = {in_line(source * size), in_line(destination * size), std::min<std::int64_t>(tile.rows, job.rows - first_row),
            std::min<std::int64_t>(tile.cols, job.cols - first_col)};
  });
}

}  // namespace cornerturn
