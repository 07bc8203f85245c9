#include <algorithm>
#include <utility>

#include "block/sizes.hpp"
#include "kernel/gather/plan.hpp"
#include "launch/group_blocks.hpp"
#include "tile/decoded_index.hpp"

namespace cornerturn {

namespace {

using decoded = tile::decoded_index<std::int64_t>;

/// The part of the source that an edge tile does not read.
struct edge_gap {
  gather_job const& job;
  std::int64_t run_step = 0, vector_step = 0;  ///< source bytes between two indices of the cut modes

  explicit edge_gap(gather_job const& given) : job(given) {
    for (int i = job.tile_digits.begin; i < job.tile_digits.end; ++i) {
      auto const& each = job.digits[std::size_t(i)];
      if (each.vector_index)
        vector_step = each.source / each.vector_index;
      else if (each.run_index)
        run_step = each.source / each.run_index;
    }
  }

  /// The bytes of a full tile that an edge tile does not read, at its low end (with negative strides) and at its high end.
  std::pair<std::int64_t, std::int64_t> bytes(std::int64_t run_left, std::int64_t vectors_left) const {
    auto const of_run = std::max<std::int64_t>(0, job.load.cut.tile_indices - run_left) * run_step,
               of_vectors = std::max<std::int64_t>(0, job.store.cut.tile_indices - vectors_left) * vector_step;
    return {std::min<std::int64_t>(of_run, 0) + std::min<std::int64_t>(of_vectors, 0),
            std::max<std::int64_t>(of_run, 0) + std::max<std::int64_t>(of_vectors, 0)};
  }
};

}  // namespace

std::vector<block_class> classes_of(gather_plan const& plan, array_addresses const& given) {
  auto const& job = plan.job;
  source_memory const memory(plan, given);
  edge_gap const gap(job);
  return grouped(job.tiles, [&](std::int64_t index, block_kind& kind) {
    decoded const at(job, job.tile_digits, int(index));
    auto const run_left = job.run_left(at), vectors_left = job.vectors_left(at);
    auto const [before, after] = gap.bytes(run_left, vectors_left);
    kind = {in_line(at.source),
            in_line(at.destination),
            run_left,
            vectors_left,
            at.vector_index == 0,
            job.load.is_within(at.source, job.source_low, job.source_high),
            memory.kind_of_ends(at.source, at.source + job.load.tile_low + kUnitBytes - before,
                                at.source + job.load.tile_high - kUnitBytes - after)};
  });
}

}  // namespace cornerturn
