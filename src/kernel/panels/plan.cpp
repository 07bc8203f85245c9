#include "kernel/panels/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "block/sizes.hpp"
#include "kernel/round.hpp"
#include "problem/fail.hpp"
#include "problem/print.hpp"

namespace cornerturn {
namespace {

constexpr std::int64_t kMost = std::numeric_limits<int>::max();

/// True if every row, slot and panel of the source and of the destination begins and ends with 16-byte vectors.
bool is_aligned(panels const& all, int aligned) {
  auto const size = all.element_size;
  auto const whole = [&](std::int64_t elements) { return elements * size % kUnitBytes == 0; };
  return size == kUnitBytes || (aligned >= kUnitBytes && all.run == 1 && whole(all.rows) && whole(all.columns) &&
                                whole(all.source_pitch) && whole(all.destination_pitch) && whole(all.offset) &&
                                (all.count == 1 || (whole(all.source_stride) && whole(all.destination_stride))) &&
                                (all.batch.count == 1 || whole(all.batch.stride)));
}

/// Sets the strides of shared memory. A unit that is stored has elements of a whole group of rows. Groups begin an odd number of
/// units apart, so that the threads of a warp, which store neighbouring units, access different banks.
void lay_out(panels_job& job, int unit, bool is_aligned) {
  job.row_stride = int(round_up(std::int64_t(job.block_slots) * job.slot_width + (is_aligned ? 0 : unit - 1), unit));
  job.group_stride = (job.row_stride | 1) * unit;
}

std::int64_t shared_elements(panels_job const& job, int unit) {
  return std::int64_t(job.rows / unit) * job.group_stride + std::int64_t(job.rows % unit) * job.row_stride;
}

}  // namespace

std::optional<panels_plan> plan_panels(panels const& all, int aligned, gpu_model const& gpu) {
  int const size = int(all.element_size), most_shared = gpu.limits.shared_bytes_per_sm - gpu.limits.reserved_shared_bytes;
  if (all.bytes_of_panel() > std::int64_t(most_shared) * gpu.limits.cluster_blocks) return std::nullopt;
  panels_plan plan{.is_aligned = is_aligned(all, aligned), .element_size = size, .offset = all.offset, .bytes = all.bytes()};
  int const unit = kUnitBytes / size;
  auto& job = plan.job;
  job.source_pitch = all.source_pitch, job.destination_pitch = all.destination_pitch;
  job.source_stride = all.source_stride, job.destination_stride = all.destination_stride;
  job.batch_stride = all.batch.stride;
  job.rows = int(all.rows), job.columns = int(all.columns), job.slots = int(all.slots);
  job.slot_width = int(all.columns * all.run), job.slot_height = int(all.rows * all.run);
  job.read_before = int(all.read_before());
  job.is_descending = all.is_descending();

  // Two blocks per SM are preferred, because one loads while the other stores. Larger blocks serve panels that do not fit
  // otherwise.
  auto const fits = [&](int cluster, int most_bytes) {
    job.cluster = fast_divmod(cluster);
    job.block_slots = int(ceil_div(all.slots, cluster));
    lay_out(job, unit, plan.is_aligned);
    auto const bytes = shared_elements(job, unit) * size;
    plan.shared_bytes = int(std::min(bytes, kMost));
    return bytes <= most_bytes;
  };
  int const shared_by_two = gpu.limits.shared_bytes_per_sm / 2 - gpu.limits.reserved_shared_bytes;
  bool found = false;
  for (int const most_bytes : {shared_by_two, most_shared})
    for (int cluster = 1; !found && cluster <= std::min<std::int64_t>(gpu.limits.cluster_blocks, all.slots); cluster *= 2)
      found = fits(cluster, most_bytes);
  if (!found) return std::nullopt;

  auto const blocks = all.batch.count * all.count * job.cluster.divisor;
  if (blocks > kMost) refuse("the array's number of panels", blocks, fmt::format("at most {} on a GPU", kMost));
  plan.blocks = int(blocks);
  job.count = fast_divmod(int(all.count));
  auto const units_of = [&](int elements) {
    auto const width = job.block_slots * elements;
    return fast_divmod(plan.is_aligned ? width / unit : (width + 2 * (unit - 1)) / unit);
  };
  job.source_units = units_of(job.slot_width);
  job.destination_units = units_of(job.slot_height);
  job.slot_units = fast_divmod(plan.is_aligned ? job.slot_height / unit : job.slot_height);
  job.run = fast_divmod(int(all.run));
  return plan;
}

std::string_view idea_of(panels_plan const&) {
  return "in place: a cluster of blocks loads a panel, then stores each slot transposed";
}

std::string describe(panels_plan const& plan) {
  auto const& job = plan.job;
  return fmt::format("panels of {} slots of {} x {}, {} a block, {} a panel, {} threads, {} rows: {} of {}, {}", job.slots,
                     job.rows, job.columns, count_text(job.block_slots, "slot"), count_text(job.cluster.divisor, "block"),
                     panels_threads_of(plan.element_size), plan.is_aligned ? "aligned" : "unaligned",
                     count_text(plan.blocks / job.cluster.divisor, "panel"), count_text(job.run.divisor, "element"),
                     count_text(plan.element_size, "byte"));
}

std::vector<estimate<panels_plan>> panels_family::candidates(problem const& refitted, alignment const& aligned,
                                                             gpu_model const& gpu) {
  auto const all = panels_of(refitted);
  if (!all) return {};
  auto const plan = plan_panels(*all, aligned.destination, gpu);
  if (!plan) return {};
  return {{*plan, expected_seconds(*plan, gpu)}};
}

}  // namespace cornerturn
