#include <algorithm>

#include "kernel/limited/plan.hpp"
#include "launch/group_blocks.hpp"
#include "tile/decoded_index.hpp"

namespace cornerturn {

/// A run of a tile is the elements of one step of the second digit. They are equally far apart on both sides and along both
/// limited axes, so a limit is between two of them at most.
std::vector<block_class> classes_of(limited_plan const& plan, array_addresses const&) {
  using decoded = tile::decoded_index<std::int64_t>;
  auto const& job = plan.copy.job;
  std::int64_t const size = plan.copy.element_size;
  int const tile = plan.copy.tile(), run = job.element_digits.end <= 1 ? job.elements : job.digits.front().radix.divisor;
  return grouped(plan.copy.blocks, [&](std::int64_t index, block_kind& kind) {
    int part, first;
    job.tiles(part, first, int(index));
    first *= tile;
    int const end = std::min(first + tile, job.elements);
    decoded const outer(job, job.part_digits, part), begin(job, job.element_digits, first);
    kind = {
        in_line((plan.copy.source_offset + outer.source + begin.source) * size, plan.source_swizzle.period()),
        in_line((plan.copy.destination_offset + outer.destination + begin.destination) * size, plan.destination_swizzle.period()),
        end - first};
    for (int element = first; element < end; element += run - element % run) {
      decoded const at(job, job.element_digits, element);
      kind.insert(kind.end(), {element - first, at.source - begin.source, at.destination - begin.destination});
      std::int64_t const indices[] = {outer.run_index + at.run_index, outer.vector_index + at.vector_index};
      for (std::size_t axis = 0; axis < plan.limits.size(); ++axis) {
        std::int64_t const step = axis ? job.digits.front().vector_index : job.digits.front().run_index,
                           left = plan.limits[axis].end - indices[axis];
        auto const count = std::min<std::int64_t>(run - element % run, end - element);
        // The number of elements before the limit, or after it if indices fall.
        auto const before = step > 0   ? (std::max<std::int64_t>(left, 0) + step - 1) / step
                            : step < 0 ? -(std::max<std::int64_t>(-left + 1, 0) + -step - 1) / -step
                                       : (left > 0 ? count : 0);
        kind.push_back(std::clamp(before, -count, count));
      }
    }
  });
}

}  // namespace cornerturn
