#include "cpu/panels/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/round.hpp"
#include "cpu/sizes.hpp"
#include "cpu/tiles/strategy.hpp"
#include "problem/canonical.hpp"
#include "problem/print.hpp"

namespace cornerturn {

namespace {

/// The bytes from one row of a panel to the next in a thread's memory. Long rows have an odd number of cache lines, so that they
/// fall into different sets of the caches.
std::int64_t pitch_of(std::int64_t row_bytes, std::int64_t least) {
  return row_bytes < least ? row_bytes : (ceil_div(row_bytes, kCacheLine) | 1) * kCacheLine;
}

/// True if the columns of a slot are written as runs of their own: if they are long, or if vectors fill them, two cache lines at
/// a time, so that no line is written in part.
bool has_long_slots(panels const& all, cpu_limits const& limits) {
  constexpr std::int64_t kLeastUnit = 4;  // bytes
  auto const unit = all.run * all.element_size, column = all.rows * unit;
  return column >= limits.long_slot ||
         (column >= limits.even_slot && column % (2 * kCacheLine) == 0 && unit >= kLeastUnit && is_element(unit));
}

/// The hint for the transpose of a panel that is in the caches. Unless slots are long, a tile has all columns of some slots,
/// because slots follow each other in the destination: so runs of at least `panel_run` bytes are written past the caches.
cpu_tile_hint hint_of(panels const& all, cpu_limits const& limits) {
  if (all.slots == 1 || has_long_slots(all, limits)) return {.cached = 0, .direct = true, .limits = limits};
  bool const is_small = all.run * all.element_size <= 4;
  auto const columns = std::min(all.columns, std::max<std::int64_t>(1, limits.panel_tile / limits.panel_run));
  return {.tile = limits.panel_tile,
          .columns = is_small ? columns : 2 * columns,
          .run = limits.panel_run,
          .cached = 0,
          .near = 0,
          .cached_source = true,
          .limits = limits};
}

}  // namespace

cpu_panels plan_cpu_panels(panels const& all, cpu_limits const& limits) {
  auto const size = all.element_size;
  auto const row = all.slots * all.columns * all.run,
             pitch = all.rows == 1 ? row : pitch_of(row * size, limits.padded_row) / size;
  problem const copy{
      .modes = {{all.rows, all.source_pitch, pitch}, {row, 1, 1}}, .element_size = size, .source_offset = all.offset},
      transpose{.modes = {{all.columns, all.run, all.destination_pitch},
                          {all.slots, all.columns * all.run, all.rows * all.run},
                          {all.rows, pitch, all.run},
                          {all.run, 1, 1}},
                .element_size = size,
                .destination_offset = all.offset};
  // A thread's memory stays in the caches, so writes to it are cached. Writes to the array stream past the caches.
  constexpr auto kAll = std::numeric_limits<std::int64_t>::max();
  return {.copy = plan_cpu(canonical(copy), {.cached = kAll, .limits = limits}),
          .transpose = plan_cpu(canonical(transpose), hint_of(all, limits)),
          .count = all.count,
          .arrays = all.batch.count,
          .array_stride = all.batch.stride * size,
          .source_stride = all.source_stride * size,
          .destination_stride = all.destination_stride * size,
          .group = all.group,
          .source_gap = all.source_gap * size,
          .destination_gap = all.destination_gap * size,
          .panel_bytes = all.bytes_of_panel(),
          .read_before = all.read_before(),
          .is_descending = all.is_descending(),
          .shape = fmt::format("{} of {} slots of {} x {}, {}", count_text(all.batch.count * all.count, "panel"), all.slots,
                               all.rows, all.columns, count_text(all.run * size, "byte"))};
}

std::optional<cpu_plan> plan_cpu_small_panels(panels const& all, cpu_limits const& limits) {
  auto const bytes = all.bytes_of_panel(), size = all.element_size;
  if (all.slots > 1 || all.batch.stride * size != bytes || bytes > limits.small_panel) return std::nullopt;
  problem const p{.modes = {{all.batch.count, all.batch.stride, all.batch.stride},
                            {all.columns, all.run, all.destination_pitch},
                            {all.rows, all.source_pitch, all.run},
                            {all.run, 1, 1}},
                  .element_size = size,
                  .source_offset = all.offset,
                  .destination_offset = all.offset};
  auto plan = plan_cpu(canonical(p), {.cached = 0, .limits = limits});
  bool const is_whole = plan.store.dense && plan.tile.rows * plan.tile.row_bytes() == bytes;
  if (!is_whole || !has_image(plan.strategy)) return std::nullopt;
  // The lines that were read are in the caches. `shuffle` has no image unless it writes past them.
  plan.store.streams = plan.strategy == cpu_strategy::shuffle;
  return plan;
}

std::string describe(cpu_panels const& plan) { return fmt::format("panels: {}; {}", plan.shape, describe(plan.transpose)); }

}  // namespace cornerturn
