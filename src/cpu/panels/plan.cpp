#include "cpu/panels/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/round.hpp"
#include "cornerturn/text.hpp"
#include "cpu/sizes.hpp"
#include "cpu/tiles/strategy.hpp"
#include "problem/canonical.hpp"

namespace cornerturn {

namespace {

/// The bytes from one row of a panel to the next in a thread's memory. Long rows have an odd number of cache lines, so that they
/// fall into different sets of the caches.
std::int64_t pitch_of(std::int64_t row_bytes, std::int64_t least) {
  return row_bytes < least ? row_bytes : (ceil_div(row_bytes, kCacheLine) | 1) * kCacheLine;
}

/// True if the columns of a slot are written as runs of their own: they are long, or consist of pairs of whole cache lines, which
/// vectors fill.
bool has_long_slots(placed_exchange const& all, cpu_limits const& limits) {
  constexpr std::int64_t kLeastUnit = 4;  // bytes
  auto const unit = all.run * all.element_size, column = all.rows * unit;
  return column >= limits.long_slot ||
         (column >= limits.even_slot && column % (2 * kCacheLine) == 0 && unit >= kLeastUnit && is_element(unit));
}

/// The hint for the transpose of a panel that is in the caches. If slots are short, a tile has all columns of some slots, because
/// slots are contiguous in the destination: so runs of at least `panel_run` bytes are written past the caches.
cpu_tile_hint hint_of(placed_exchange const& all, cpu_limits const& limits) {
  if (all.between == 1 || has_long_slots(all, limits)) return {.streamed_above = 0, .direct = true, .limits = limits};
  bool const is_small = all.run * all.element_size <= 4;
  auto const columns = std::min(all.columns, std::max<std::int64_t>(1, limits.panel_tile / limits.panel_run));
  return {.tile = limits.panel_tile,
          .columns = is_small ? columns : 2 * columns,
          .run = limits.panel_run,
          .streamed_above = 0,
          .near = 0,
          .cached_source = true,
          .limits = limits};
}

}  // namespace

cpu_panels plan_cpu_panels(placed_exchange const& all, cpu_limits const& given) {
  auto limits = given;
  limits.cached_parts = 1;  // one thread moves a panel
  auto const size = all.element_size;
  auto const from = all.source_strides(), to = all.destination_strides();
  auto const row = all.between * all.columns * all.run,
             pitch = all.rows == 1 ? row : pitch_of(row * size, limits.padded_row) / size;
  problem const copy{.modes = {{all.rows, from.pitch, pitch}, {row, 1, 1}}, .element_size = size, .source_offset = all.offset},
      transpose{.modes = {{all.columns, all.run, to.pitch},
                          {all.between, all.columns * all.run, all.rows * all.run},
                          {all.rows, pitch, all.run},
                          {all.run, 1, 1}},
                .element_size = size,
                .destination_offset = all.offset};
  // A thread's memory stays in the caches, so writes to it are cached. Writes to the array stream past the caches.
  constexpr auto kAll = std::numeric_limits<std::int64_t>::max();
  return {.copy = plan_cpu(canonical(copy), {.streamed_above = kAll, .limits = limits}),
          .transpose = plan_cpu(canonical(transpose), hint_of(all, limits)),
          .count = all.panels,
          .arrays = all.batch,
          .array_stride = all.array_stride * size,
          .source_stride = from.stride * size,
          .destination_stride = to.stride * size,
          .group = all.panel_group(),
          .source_gap = from.gap * size,
          .destination_gap = to.gap * size,
          .panel_bytes = all.panel_bytes(),
          .read_before = all.read_before(),
          .is_descending = all.is_descending(),
          .shape = fmt::format("{} of {} slots of {} x {}, {}", count_text(all.batch * all.panels, "panel"), all.between,
                               all.rows, all.columns, count_text(all.run * size, "byte"))};
}

std::optional<cpu_plan> plan_cpu_small_panels(placed_exchange const& all, cpu_limits const& limits) {
  auto const bytes = all.panel_bytes();
  bool const is_batch = all.batch > 1 && all.array_stride * all.element_size == bytes;
  if (!is_batch || all.between > 1 || bytes > limits.small_panel) return std::nullopt;
  auto plan = plan_cpu(canonical(problem_of(all)), {.streamed_above = 0, .limits = limits});
  bool const is_whole = plan.store.dense && plan.tile.rows * plan.tile.row_bytes() == bytes;
  if (!is_whole || !has_image(plan.strategy)) return std::nullopt;
  // The lines that were read are in the caches. `shuffle` has no image unless it writes past them.
  plan.store.streams = plan.strategy == cpu_strategy::shuffle;
  return plan;
}

std::string describe(cpu_panels const& plan) { return fmt::format("panels: {}; {}", plan.shape, describe(plan.transpose)); }

plan_decisions<cpu_panels> cpu_panels::decisions() {
  return {{{"places", {"panels in their places", "shifted panels"}, [](cpu_panels const& plan) { return plan.read_before > 0; }},
           {"direction", {"first panel first", "last panel first"}, [](cpu_panels const& plan) { return plan.is_descending; }},
           {"gaps",
            {"no gaps", "gaps between groups"},
            [](cpu_panels const& plan) { return plan.source_gap != 0 || plan.destination_gap != 0; }},
           {"arrays", {"one array", "several arrays"}, [](cpu_panels const& plan) { return plan.arrays > 1; }},
           {"panels", {"one panel", "several panels"}, [](cpu_panels const& plan) { return plan.count > 1; }},
           {"unit",
            {"other unit", "unit of an element"},
            [](cpu_panels const& plan) { return is_element(plan.transpose.tile.unit); }}},
          {{"panels in their places", {"last panel first", "gaps between groups"}, "the order has no meaning"},
           {"one panel", {"shifted panels", "last panel first", "gaps between groups"}, "there is nothing before it"}}};
}

}  // namespace cornerturn
