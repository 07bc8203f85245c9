#include "kernel/panels/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

#include "base/planning_work.hpp"
#include "base/refuse.hpp"
#include "base/round.hpp"
#include "block/sizes.hpp"
#include "cornerturn/text.hpp"
#include "problem/int_limit.hpp"

namespace cornerturn {
namespace {

/// True if every row, slot and panel of the source and of the destination begins and ends with 16-byte vectors.
bool is_aligned(placed_exchange const& all, int aligned) {
  auto const size = all.element_size;
  auto const whole = [&](std::int64_t elements) { return elements * size % kUnitBytes == 0; };
  auto const begin_whole = [&](panel_strides const& side) {
    return whole(side.pitch) && whole(side.gap) && (all.panels == 1 || whole(side.stride));
  };
  return size == kUnitBytes ||
         (aligned >= kUnitBytes && all.run == 1 && whole(all.rows) && whole(all.columns) && begin_whole(all.source_strides()) &&
          begin_whole(all.destination_strides()) && whole(all.offset) && (all.batch == 1 || whole(all.array_stride)));
}

/// Restates unaligned panels of one slot, which are short contiguous rows or columns, such that a block loads, or stores, one
/// long row: (m, 1, n) is (1, m, n), whose slots have one row each, and (n, 1, m) is (n, m, 1).
placed_exchange with_long_rows(placed_exchange all) {
  constexpr std::int64_t kLongRow = 256, kBankStride = 64;  // bytes
  auto const shorter = all.shorter() * all.run * all.element_size;
  if (all.between > 1 || shorter >= kLongRow || shorter % kBankStride == 0) return all;
  if (all.rows > all.columns && all.source_strides().pitch == all.columns * all.run)
    std::swap(all.rows, all.between);
  else if (all.rows < all.columns && all.destination_strides().pitch == all.rows * all.run)
    std::swap(all.columns, all.between);
  return all;
}

/// The work that the blocks of a cluster divide among them.
panel_share share_of(exchange const& all) {
  if (all.between > 1) return panel_share::slots;
  return all.rows > all.columns ? panel_share::rows : panel_share::columns;
}

/// The extents of the part of a panel that a block has.
exchange part_of(exchange all, panel_share share, std::int64_t extent) {
  (share == panel_share::slots ? all.between : share == panel_share::rows ? all.rows : all.columns) = extent;
  return all;
}

/// The stride of rows in shared memory. If the first row is at the same place within a unit as in global memory, so are all rows;
/// and within a sector, too, if this has no more bank conflicts. Threads store units of V elements from V rows each, so they
/// access 8 / gcd(stride, 8) groups of four banks.
int strided_row(std::int64_t width, std::int64_t pitch, int unit) {
  auto const sector = unit * (kSectorBytes / kUnitBytes);
  auto const least = round_up(width, sector) + pitch % sector;
  auto best = least;
  for (auto each = least; each < least + 8; each += unit)
    if (std::gcd(each, 8) < std::gcd(best, 8)) best = each;
  return int(best);
}

/// Sets the strides of shared memory for a block's part such that the elements of destination rows have constant distances.
/// Returns false if more than four units that a warp stores at once have the same banks.
bool lay_out_strided(panels_job& job, exchange const& part, int unit) {
  job.row_stride = strided_row(part.between * part.columns, job.source_pitch, unit);
  job.group_stride = job.row_stride * unit;
  job.step = part.rows == 1 ? job.slot_width : job.row_stride;
  job.jump = part.rows == 1 ? 0 : job.slot_width - int(part.rows) * job.row_stride;
  // at most two units have the same banks, unless there are fewer rows than lanes for them
  int const same = std::gcd(job.step, 8), rows = int(std::bit_ceil(std::uint64_t(std::min<std::int64_t>(part.columns, kWarp))));
  job.lane_units = std::max(std::min(16 / same, 8), kWarp / rows);
  // units of other slots have other banks
  auto const of_slot = part.rows == 1 ? job.lane_units : std::min<std::int64_t>(job.lane_units, ceil_div(part.rows, unit));
  return of_slot * same <= 4 * 8;
}

/// Sets the strides of shared memory for a block's part. A unit that is stored has elements of a whole group of rows. Groups
/// begin an odd number of units apart, so that the threads of a warp, which store neighbouring units, access different banks.
void lay_out(panels_job& job, exchange const& part, int unit, bool is_aligned) {
  if (!is_aligned && part.run == 1 && lay_out_strided(job, part, unit)) return;
  job.row_stride = int(round_up(part.between * part.columns * part.run + (is_aligned ? 0 : unit - 1), unit));
  job.group_stride = (job.row_stride | 1) * unit;
  job.step = job.jump = 0;
}

std::int64_t shared_elements(panels_job const& job, exchange const& part, int unit) {
  auto const last = job.step > 0 ? unit * (kSectorBytes / kUnitBytes) : 0;  // the first row may begin within a sector
  return part.rows / unit * job.group_stride + part.rows % unit * job.row_stride + last;
}

}  // namespace

std::optional<panels_plan> plan_panels(placed_exchange const& given, int aligned, gpu_model const& gpu, slot_exchange exchange) {
  int const size = int(given.element_size), most_shared = gpu.limits.most_shared_bytes();
  if (given.panel_bytes() > std::int64_t(most_shared) * gpu.limits.cluster_blocks) return std::nullopt;
  panels_plan plan{.exchange = exchange,
                   .is_aligned = is_aligned(given, aligned),
                   .element_size = size,
                   .offset = given.offset,
                   .bytes = given.bytes()};
  auto const from = given.source_strides(), to = given.destination_strides();
  auto const all = plan.is_aligned ? given : with_long_rows(given);
  int const unit = kUnitBytes / size;
  auto& job = plan.job;
  job.source_pitch = from.pitch, job.destination_pitch = to.pitch;
  job.source_stride = from.stride, job.destination_stride = to.stride;
  job.source_gap = from.gap, job.destination_gap = to.gap;
  job.batch_stride = given.array_stride;
  job.rows = int(all.rows), job.columns = int(all.columns), job.slots = int(all.between);
  job.slot_width = int(all.columns * all.run), job.slot_height = int(all.rows * all.run);
  job.share = share_of(all);
  job.read_before = int(given.read_before());
  bool const is_before = exchange == slot_exchange::before;
  job.is_descending = is_before || given.is_descending();

  // Two blocks per SM are preferred, because one loads while the other stores. Larger blocks serve panels that do not fit
  // otherwise, and panels that exchange slots: an exchange loads and stores at once, and smaller clusters wait less.
  auto const shared_out = job.share == panel_share::slots ? all.between : all.longer();
  auto const step = plan.is_aligned && job.share != panel_share::slots ? unit : 1;
  auto part = part_of(all, job.share, 1);
  auto const fits = [&](int cluster, int most_bytes) {
    ++work_of_planning.tilings;
    job.cluster = fast_divmod(cluster);
    job.block_share = int(round_up(ceil_div(shared_out, cluster), step));
    part = part_of(all, job.share, job.block_share);
    auto held = part;
    if (is_before) std::swap(held.rows, held.columns);  // shared memory has destination rows
    lay_out(job, held, unit, plan.is_aligned);
    auto const bytes = shared_elements(job, held, unit) * size;
    plan.shared_bytes = int(std::min(bytes, kIntMax));
    return bytes <= most_bytes;
  };
  bool found = false;
  for (int const most_bytes : {exchange == slot_exchange::none ? gpu.limits.shared_bytes_for_two() : most_shared, most_shared})
    for (int cluster = 1; !found && cluster <= std::min<std::int64_t>(gpu.limits.cluster_blocks, shared_out / step); cluster *= 2)
      found = fits(cluster, most_bytes);
  if (!found) return std::nullopt;

  auto const blocks = given.batch * given.panels * job.cluster.divisor;
  if (blocks > kIntMax) refuse("the array's number of panels", blocks, fmt::format("at most {} on a GPU", kIntMax));
  plan.blocks = int(blocks);
  job.count = fast_divmod(int(given.panels));
  job.group = fast_divmod(int(given.panel_group()));
  auto const units_of = [&](std::int64_t width) {
    return fast_divmod(int(plan.is_aligned ? width / unit : (width + 2 * (unit - 1)) / unit));
  };
  job.source_units = units_of(part.between * part.columns * part.run);
  job.destination_units = units_of(part.between * part.rows * part.run);
  // a row of one element per slot has no jumps, so it is one slot that never ends
  bool const is_endless = job.step > 0 && all.rows == 1;
  job.slot_units = fast_divmod(plan.is_aligned ? plan.exchanged_row() / unit : is_endless ? int(kIntMax / 2) : job.slot_height);
  job.patches = fast_divmod(int(ceil_div(job.destination_units.divisor, job.lane_units)));
  job.run = fast_divmod(int(all.run));
  return plan;
}

std::optional<panels_plan> plan_panels_exchange(placed_exchange const& all, slot_exchange exchange, int aligned,
                                                gpu_model const& gpu) {
  auto const size = all.element_size;
  if (size < 2 || size > 8 || all.run > 1 || all.between < 2 || all.between != all.panels || all.is_shifted())
    return std::nullopt;
  auto const plan = plan_panels(all, aligned, gpu, exchange);
  return plan && plan->is_aligned && plan->job.share == panel_share::slots ? plan : std::nullopt;
}

std::string_view idea_of(panels_plan const& plan) {
  if (plan.exchange != slot_exchange::none)
    return "in place: a cluster of blocks transposes the slots of a panel, and exchanges them across the diagonal";
  return "in place: a cluster of blocks loads a panel, then stores each slot transposed";
}

std::string describe(panels_plan const& plan) {
  auto const& job = plan.job;
  auto const* const share = job.share == panel_share::slots ? "slot" : job.share == panel_share::rows ? "row" : "column";
  auto const* const exchanged = plan.exchange == slot_exchange::none    ? ""
                                : plan.exchange == slot_exchange::after ? " transposed and then exchanged"
                                                                        : " exchanged and then transposed";
  return fmt::format("panels of {} slots of {} x {}{}, {} a block, {} a panel, {} threads, {} rows: {} of {}, {}", job.slots,
                     job.rows, job.columns, exchanged, count_text(job.block_share, share),
                     count_text(job.cluster.divisor, "block"), panels_threads_of(plan.element_size, plan.is_aligned),
                     plan.is_aligned ? "aligned" : "unaligned", count_text(plan.blocks / job.cluster.divisor, "panel"),
                     count_text(job.run.divisor, "element"), count_text(plan.element_size, "byte"));
}

std::vector<panels_plan> panels_plan::candidates(problem const& refitted, alignment const& aligned, gpu_model const& gpu) {
  auto const all = exchange_of(refitted);
  if (!all || all->is_square()) return {};
  auto const plan = plan_panels(*all, aligned.destination, gpu);
  if (!plan) return {};
  return {*plan};
}

plan_decisions<panels_plan> panels_plan::decisions() {
  constexpr std::string_view kWhy = "panels that exchange slots have aligned rows of such elements and stay in their places";
  return {
      {{"exchange",
        {"no exchange", "exchange after", "exchange before"},
        [](panels_plan const& plan) { return int(plan.exchange); }},
       {"share", {"shares slots", "shares rows", "shares columns"}, [](panels_plan const& plan) { return int(plan.job.share); }},
       element_decision<panels_plan>(),
       {"alignment", {"any rows", "aligned rows"}, [](panels_plan const& plan) { return plan.is_aligned; }},
       {"flags", {"no flags", "flags"}, [](panels_plan const& plan) { return plan.job.read_before > 0; }},
       {"blocks", {"one block", "a cluster"}, [](panels_plan const& plan) { return plan.job.cluster.divisor > 1; }},
       {"direction", {"first first", "last first"}, [](panels_plan const& plan) { return plan.job.is_descending; }}},
      {{"exchange after", {"shares rows", "shares columns", "1 byte", "16 bytes", "any rows", "flags", "last first"}, kWhy},
       {"exchange before", {"shares rows", "shares columns", "1 byte", "16 bytes", "any rows", "flags", "first first"}, kWhy},
       {"16 bytes", {"any rows"}, "an element is a vector"}}};
}

}  // namespace cornerturn
