#include "kernel/packed/plan.hpp"
#include "launch/group_blocks.hpp"

namespace cornerturn {

std::vector<block_class> classes_of(packed_plan const& plan, array_addresses const&) {
  auto const& job = plan.job;
  return grouped(job.tiles, [&](std::int64_t index, block_kind& kind) {
    tile::decoded_index<std::int64_t> const at(job, job.tile_digits, int(index));
    auto const place = place_of(job, plan.bits, at);
    kind = {in_line(at.source), in_line(at.destination), place.source_bytes, place.destination_bytes};
  });
}

}  // namespace cornerturn
