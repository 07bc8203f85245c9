#include <algorithm>

#include "base/round.hpp"
#include "kernel/interleave/plan.hpp"
#include "launch/group_blocks.hpp"
#include "tile/decoded_index.hpp"

namespace cornerturn {

namespace {

using decoded = tile::decoded_index<std::int64_t>;

/// Classifies the blocks of a plan with aligned rows. The groups of a block are contiguous up to the end of the fastest mode.
std::vector<block_class> classes_of_groups(interleave_plan const& plan) {
  constexpr std::int64_t kThreads = kInterleaveThreads;
  auto const& job = plan.job;
  bool const one_mode = job.index_digits.end - job.index_digits.begin <= 1;
  std::int64_t const radix = one_mode ? job.count : job.digits[std::size_t(job.index_digits.begin)].radix.divisor;
  return grouped(ceil_div(std::int64_t(job.count), kThreads), [&](std::int64_t index, block_kind& kind) {
    auto const first = index * kThreads, end = std::min<std::int64_t>(first + kThreads, job.count);
    for (auto group = first; group < end; group += radix - group % radix) {
      decoded const at(job, job.index_digits, int(group));
      kind.insert(kind.end(), {group - first, in_line(at.source), in_line(at.destination)});
    }
    kind.push_back(end - first);
  });
}

/// Classifies the tiles of a plan with unaligned rows.
std::vector<block_class> classes_of_tiles(interleave_plan const& plan, array_addresses const& given) {
  auto const& job = plan.job;
  source_memory const memory(plan, given);
  std::int64_t const size = plan.element_size, per_unit = kUnitBytes / size, most = (kInterleaveGroups + 2) * per_unit;
  return grouped(job.count, [&](std::int64_t index, block_kind& kind) {
    decoded const at(job, job.index_digits, int(index));
    // The tile begins at most one unit before `element`, and ends less than `most` elements after it.
    auto const element = first_element(at, int(per_unit)), begin = std::max<std::int64_t>(0, element - per_unit),
               end = std::min(job.row_elements, element + most);
    auto const source_step = plan.to_aos ? size : plan.fields * size, destination_step = plan.to_aos ? plan.fields * size : size,
               across = plan.to_aos ? (plan.fields - 1) * job.row_pitch : 0, source = at.source + element * source_step;
    kind = {in_line(source), in_line(at.destination + element * destination_step), at.run_index == 0,
            std::min(job.row_elements - element, most),
            memory.kind_of_ends(source, at.source + std::min<std::int64_t>(0, across) + begin * source_step,
                                at.source + std::max<std::int64_t>(0, across) + end * source_step)};
  });
}

}  // namespace

std::vector<block_class> classes_of(interleave_plan const& plan, array_addresses const& at) {
  return plan.unaligned ? classes_of_tiles(plan, at) : classes_of_groups(plan);
}

}  // namespace cornerturn
