#include <algorithm>

#include "kernel/flat/plan.hpp"
#include "launch/group_blocks.hpp"

namespace cornerturn {

/// The accesses of a tile depend on the offsets of its rows and of its columns from their first one.
std::vector<block_class> classes_of(flat_plan const& plan, array_addresses const&) {
  auto const& job = plan.job;
  std::int64_t const size = plan.element_size;
  return grouped(plan.blocks, [&](std::int64_t index, block_kind& kind) {
    auto const place = job.tiles.at(index);
    std::int64_t source = 0, destination = 0;
    auto const add = [&](auto const& digits, int first, int end) {
      auto const begin = decode(digits, first);
      source += begin.source, destination += begin.destination;
      for (int i = first + 1; i < end; ++i) {
        auto const at = decode(digits, i);
        kind.insert(kind.end(), {at.source - begin.source, at.destination - begin.destination});
      }
      kind.push_back(end - first);
    };
    auto const& tile = plan.shape();
    add(job.col_digits, place.x * tile.cols, std::min((place.x + 1) * tile.cols, job.cols));
    add(job.row_digits, place.y * tile.rows, std::min((place.y + 1) * tile.rows, job.rows));
    kind.insert(kind.end(), {in_line(source * size), in_line(destination * size)});
  });
}

}  // namespace cornerturn
