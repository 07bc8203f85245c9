#include <algorithm>

#include "kernel/small/plan.hpp"
#include "launch/group_blocks.hpp"

namespace cornerturn {

std::vector<block_class> classes_of(small_plan const& plan, array_addresses const&) {
  auto const& tile = plan.shape().tile;
  std::int64_t const size = plan.element_size;
  return grouped(plan.blocks, [&](std::int64_t index, block_kind& kind) {
    auto const place = block_place(plan.job, tile.rows, tile.cols, plan.job.tiles.at(index));
    kind = {in_line(place.source(plan.job) * size), in_line(place.destination(plan.job) * size), std::min(tile.rows, place.rows),
            std::min(tile.cols, place.cols)};
  });
}

}  // namespace cornerturn
