#include "cpu/swap/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "cornerturn/text.hpp"
#include "cpu/sizes.hpp"
#include "cpu/tiles/strategy.hpp"

namespace cornerturn {
/// The limits were measured on an AMD EPYC with a level 2 cache of 1 MB. Squares of 1-byte elements have more lines, so their
/// tiles are smaller.
cpu_swap plan_cpu_swap(placed_exchange const& all, cpu_limits const& limits) {
  auto const size = all.element_size;
  cpu_swap result{.extent = all.rows,
                  .run = all.run * size,
                  .pitch = all.source_strides().pitch * size,
                  .offset = all.offset * size,
                  .inner = {all.between, all.slot_stride() * size},
                  .outer = {all.batch, all.array_stride * size},
                  .bytes = all.bytes(),
                  .threads = limits.threads};
  result.part = std::min(result.run, limits.swap_part);
  auto const row = std::min(limits.swap_row_per_byte * result.part, limits.swap_row);
  result.tile = std::int64_t(std::bit_floor(std::uint64_t(std::max<std::int64_t>(1, row / result.part))));
  return result;
}

std::string describe(cpu_swap const& plan) {
  auto const side = std::min(plan.tile, plan.extent);
  return fmt::format("swap {}x{}: {} of {} x {} runs of {}", side, side,
                     count_text(plan.outer.count * plan.inner.count, "square"), plan.extent, plan.extent,
                     count_text(plan.run, "byte"));
}

plan_decisions<cpu_swap> cpu_swap::decisions() {
  return {
      {{"runs",
        {"elements", "short runs", "long runs"},
        [](cpu_swap const& plan) {
          if (is_element(plan.run)) return 0;
          return plan.run < kCacheLine ? 1 : 2;
        }},
       {"parts", {"one part", "several parts"}, [](cpu_swap const& plan) { return plan.parts() > 1; }},
       {"tiles", {"one tile a side", "several tiles a side"}, [](cpu_swap const& plan) { return plan.tiles_along() > 1; }},
       {"pitch", {"rows of any length", "rows of lines"}, [](cpu_swap const& plan) { return plan.pitch % kCacheLine == 0; }},
       {"squares",
        {"one square", "several squares"},
        [](cpu_swap const& plan) { return plan.inner.count * plan.outer.count > 1; }},
       {"last tile", {"even tiles", "smaller last tile"}, [](cpu_swap const& plan) { return plan.extent % plan.tile != 0; }}}};
}

}  // namespace cornerturn
