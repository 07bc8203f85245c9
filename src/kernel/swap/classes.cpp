#include <algorithm>

#include "kernel/swap/plan.hpp"
#include "launch/group_blocks.hpp"

namespace cornerturn {

/// The squares of a group are kinds of their own if they begin at different places of a cache line.
std::vector<block_class> classes_of(swap_plan const& plan, array_addresses const& at) {
  auto const& job = plan.job;
  std::int64_t const size = plan.element_size, side = job.tile_runs.divisor, part = job.tile_part.divisor;
  return grouped(plan.blocks, [&](std::int64_t index, block_kind& kind) {
    tile_pair const pair(job, int(index));
    auto const row = pair.row * side, column = pair.column * side, element = pair.part * part;
    auto const tile = [&](std::int64_t square, std::int64_t r, std::int64_t c) {
      auto const elements = plan.offset + square + r * job.pitch + c * job.run + element;
      return in_line(std::int64_t(at.destination) + elements * size);
    };
    auto const tile_end = [&](std::int64_t square, std::int64_t r, std::int64_t c) {
      auto const last_row = std::min(r + side, job.extent) - 1, last_column = std::min(c + side, job.extent);
      return square + last_row * job.pitch + last_column * job.run;
    };
    kind = {pair.row == pair.column, std::min(side, job.extent - row), std::min(side, job.extent - column),
            std::min(part, job.run - element)};
    auto const first = pair.group * job.tile_squares, end = std::min(first + job.tile_squares, job.squares);
    kind.push_back(end - first);
    for (int square = first; square < end; ++square) {
      auto const offset = job.square_offset(square);
      kind.push_back(tile(offset, row, column)), kind.push_back(tile(offset, column, row));
      // some units at the ends of the array are loaded by elements
      kind.push_back(offset + row * job.pitch + column * job.run + element < kUnitBytes / size);
      kind.push_back(tile_end(offset, column, row) > job.elements - kUnitBytes / size);
      // the inner batch may have gaps between its squares, the outer batch has none
      kind.push_back((offset - job.square_offset(first)) * size);
    }
  });
}

}  // namespace cornerturn
