#include "kernel/boxes/plan.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/planning_work.hpp"
#include "base/round.hpp"
#include "block/sizes.hpp"
#include "cornerturn/text.hpp"
#include "problem/int_limit.hpp"

namespace cornerturn {
namespace {

constexpr std::int64_t kLongestBoxPart = 512, kLongestUnalignedPart = 1024;  ///< bytes of a run that a box has

/// The bytes of shared memory of a block besides its parts, and the bytes from one part of `bytes` bytes to the next. A part that
/// begins within a unit has room for all units that it touches, at any place within a sector.
std::int64_t bytes_beside_parts(std::int64_t size) { return 2 * boxes_shared_lead(int(size)) * size; }
std::int64_t box_pitch_of(std::int64_t bytes, std::int64_t size) {
  return size == kUnitBytes ? bytes : round_up(bytes + kSectorBytes - size, kSectorBytes);
}

/// The elements of a run that a box has if a block has `block_runs` runs in `most_bytes` bytes of shared memory: whole cache
/// lines, or else whole parts of 64 bytes, unless the run is shorter. 0 if that is too little.
std::int64_t part_of(placed_exchange const& all, std::int64_t block_runs, std::int64_t most_bytes) {
  auto const size = all.element_size;
  bool const is_aligned = size == kUnitBytes;
  auto const room = (most_bytes - bytes_beside_parts(size)) / block_runs,
             fits = is_aligned ? room : room / kSectorBytes * kSectorBytes - kSectorBytes + size;
  auto const bytes = std::min({all.run * size, is_aligned ? kLongestBoxPart : kLongestUnalignedPart, fits});
  if (bytes < kLeastBoxPart) return 0;
  auto const unit = bytes == all.run * size ? bytes : bytes < kLineBytes ? kLeastBoxPart : std::int64_t(kLineBytes);
  return bytes / unit * unit / size;
}

}  // namespace

std::optional<boxes_plan> plan_boxes(placed_exchange const& all, gpu_model const& gpu) {
  auto const size = all.element_size, runs = all.runs();
  auto const [group, gap] = all.source;
  if (all.panels > 1 || runs > kIntMax) return std::nullopt;
  std::optional<boxes_plan> best;
  for (int const most_bytes : {gpu.limits.shared_bytes_for_two(), gpu.limits.most_shared_bytes()})
    for (int cluster = 1; cluster <= std::min<std::int64_t>(gpu.limits.cluster_blocks, runs); cluster *= 2) {
      ++work_of_planning.tilings;
      auto const block_runs = ceil_div(runs, std::int64_t(cluster)), part = part_of(all, block_runs, most_bytes);
      if (part == 0) continue;
      auto const boxes = ceil_div(all.run, part), blocks = all.batch * boxes * cluster, pitch = box_pitch_of(part * size, size);
      if (blocks > kIntMax) continue;
      boxes_plan const plan{.job = {.run = all.run,
                                    .gap = gap,
                                    .array_stride = all.array_stride,
                                    .elements = (all.batch - 1) * all.array_stride + runs * all.run + (runs / group - 1) * gap,
                                    .runs = int(runs),
                                    .block_runs = int(block_runs),
                                    .part = int(part),
                                    .shared_pitch = int(pitch / size),
                                    .rows = int(all.rows),
                                    .columns = fast_divmod(int(all.columns)),
                                    .between = fast_divmod(int(all.between)),
                                    .cluster = fast_divmod(cluster),
                                    .boxes = fast_divmod(int(boxes)),
                                    .group = fast_divmod(int(group)),
                                    .part_units = fast_divmod(int(pitch / kUnitBytes))},
                            .element_size = int(size),
                            .blocks = int(blocks),
                            .shared_bytes = int(block_runs * pitch + bytes_beside_parts(size)),
                            .offset = all.offset,
                            .bytes = all.bytes()};
      if (!best || expected_seconds(plan, gpu) < expected_seconds(*best, gpu)) best = plan;
    }
  return best;
}

std::string_view idea_of(boxes_plan const&) {
  return "in place: a cluster of blocks loads a part of every run, then stores each part where its run belongs";
}

std::string describe(boxes_plan const& plan) {
  auto const& job = plan.job;
  return fmt::format("boxes of {} x {} x {} runs, {} of each, {} a box, {} threads: {} boxes of {}", job.rows,
                     job.between.divisor, job.columns.divisor, count_text(plan.part_bytes(), "byte"),
                     count_text(job.cluster.divisor, "block"), kBoxesThreads, plan.blocks / job.cluster.divisor,
                     count_text(plan.element_size, "byte"));
}

std::vector<boxes_plan> boxes_plan::candidates(problem const& refitted, alignment const&, gpu_model const& gpu) {
  auto const all = exchange_of(refitted);
  if (!all || all->is_square()) return {};
  auto const plan = plan_boxes(*all, gpu);
  if (!plan) return {};
  return {*plan};
}

plan_decisions<boxes_plan> boxes_plan::decisions() {
  return {
      {element_decision<boxes_plan>(),
       {"modes", {"neighbouring modes", "modes between"}, [](boxes_plan const& plan) { return plan.job.between.divisor > 1; }},
       {"blocks", {"one block", "a cluster"}, [](boxes_plan const& plan) { return plan.job.cluster.divisor > 1; }}}};
}

}  // namespace cornerturn
