#include <algorithm>

#include "kernel/tiled/plan.hpp"
#include "launch/group_blocks.hpp"
#include "tile/decoded_index.hpp"

namespace cornerturn {

std::vector<block_class> classes_of(tiled_plan const& plan, array_addresses const&) {
  auto const& job = plan.job;
  std::int64_t const size = plan.element_size;
  return grouped(plan.blocks, [&](std::int64_t index, block_kind& kind) {
    tile::decoded_index<std::int64_t> const at(job, job.tile_digits, int(index));
    kind = {in_line(at.source * size), in_line(at.destination * size),
            std::min<std::int64_t>(job.run_end - at.run_index, job.run_tile),
            std::min<std::int64_t>(job.vectors_end - at.vector_index, job.vectors_tile)};
  });
}

}  // namespace cornerturn
