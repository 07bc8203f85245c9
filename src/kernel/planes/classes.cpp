#include <algorithm>

#include "kernel/planes/plan.hpp"
#include "launch/group_blocks.hpp"
#include "tile/decoded_index.hpp"

namespace cornerturn {

std::vector<block_class> classes_of(planes_plan const& plan, array_addresses const&) {
  auto const& job = plan.job;
  int const tile_vectors = kPlanesThreads * kPlanesSteps;
  return grouped(plan.blocks, [&](std::int64_t index, block_kind& kind) {
    auto const array = plan.sources.place_of(index);
    int part, tile;
    job.tiles(part, tile, int(array.index));
    tile::decoded_index<std::int64_t> const at(job, job.part_digits, part);
    std::int64_t const first = std::int64_t(tile) * tile_vectors * plan.vector();
    kind = {in_line(array.source + at.source + first * plan.pixel_bytes),
            in_line((array.destination + at.destination + first) * std::int64_t(size_of(plan.operation.destination))),
            in_line(at.vector_index * std::int64_t(sizeof(float))), std::min(job.vectors - tile * tile_vectors, tile_vectors)};
  });
}

}  // namespace cornerturn
