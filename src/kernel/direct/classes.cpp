#include <algorithm>

#include "kernel/direct/plan.hpp"
#include "launch/group_blocks.hpp"
#include "tile/decoded_index.hpp"

namespace cornerturn {

/// A run of a tile is the elements of one step of the second digit. They are equally far apart on both sides. So the accesses of
/// a tile depend on where its runs begin.
std::vector<block_class> classes_of(direct_plan const& plan, direct_periods const& periods, direct_run_kind const& kind_of_run) {
  using decoded = tile::decoded_index<std::int64_t>;
  auto const& job = plan.job;
  std::int64_t const size = plan.element_size;
  int const tile = plan.tile(), run = job.element_digits.end <= 1 ? job.elements : job.digits.front().radix.divisor;
  return grouped(plan.blocks, [&](std::int64_t index, block_kind& kind) {
    int part, first;
    job.tiles(part, first, int(index));
    first *= tile;
    int const end = std::min(first + tile, job.elements);
    decoded const outer(job, job.part_digits, part), begin(job, job.element_digits, first);
    kind = {in_line((plan.source_offset + outer.source + begin.source) * size, periods.source),
            in_line((plan.destination_offset + outer.destination + begin.destination) * size, periods.destination), end - first};
    for (int element = first; element < end; element += run - element % run) {
      decoded const at(job, job.element_digits, element);
      kind.insert(kind.end(), {element - first, at.source - begin.source, at.destination - begin.destination});
      if (kind_of_run) kind_of_run(kind, {part, element, std::min(run - element % run, end - element)});
    }
  });
}

std::vector<block_class> classes_of(direct_plan const& plan, array_addresses const&) { return classes_of(plan, {}, {}); }

}  // namespace cornerturn
