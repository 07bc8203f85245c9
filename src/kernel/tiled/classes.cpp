#include <algorithm>

#include "kernel/tiled/plan.hpp"
#include "launch/group_blocks.hpp"
#include "tile/decoded_index.hpp"

namespace cornerturn {

void write_kind(tiled_layout const& layout, element_sizes const& sizes, std::int64_t block, block_kind& kind) {
  auto const& job = layout.job;
  tile::decoded_index<std::int64_t> const at(job, job.tile_digits, int(block));
  kind = {in_line(at.source * sizes.source), in_line(at.destination * sizes.destination),
          std::min<std::int64_t>(job.run_end - at.run_index, job.run_tile),
          std::min<std::int64_t>(job.vectors_end - at.vector_index, job.vectors_tile)};
}

std::vector<block_class> classes_of(tiled_layout const& layout, element_sizes const& sizes) {
  return grouped(layout.blocks, [&](std::int64_t index, block_kind& kind) { write_kind(layout, sizes, index, kind); });
}

std::vector<block_class> classes_of(tiled_plan const& plan, array_addresses const&) {
  return classes_of(plan, element_sizes(plan.element_size));
}

}  // namespace cornerturn
