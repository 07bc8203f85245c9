#include "plan/cpu_panels.hpp"

#include <fmt/format.h>

#include <limits>

#include "problem/canonical.hpp"
#include "problem/print.hpp"

namespace cornerturn {

cpu_panels plan_cpu_panels(panels const& all, int threads) {
  auto const size = all.element_size;
  auto const row = all.slots * all.columns * all.run;
  problem const copy{
      .modes = {{all.rows, all.source_pitch, row}, {row, 1, 1}}, .element_size = size, .source_offset = all.offset},
      transpose{.modes = {{all.columns, all.run, all.destination_pitch},
                          {all.slots, all.columns * all.run, all.rows * all.run},
                          {all.rows, row, all.run},
                          {all.run, 1, 1}},
                .element_size = size,
                .destination_offset = all.offset};
  // A thread's memory stays in the caches, so writes to it are cached. Writes to the array stream past the caches.
  constexpr auto kAll = std::numeric_limits<std::int64_t>::max();
  return {.copy = plan_cpu(canonical(copy), {.cached = kAll, .threads = threads}),
          .transpose = plan_cpu(canonical(transpose), {.cached = 0, .direct = true, .threads = threads}),
          .count = all.count,
          .arrays = all.batch.count,
          .array_stride = all.batch.stride * size,
          .source_stride = all.source_stride * size,
          .destination_stride = all.destination_stride * size,
          .panel_bytes = all.bytes_of_panel(),
          .read_before = all.read_before(),
          .is_descending = all.is_descending(),
          .shape = fmt::format("{} of {} slots of {} x {}, {}", count_text(all.batch.count * all.count, "panel"), all.slots,
                               all.rows, all.columns, count_text(all.run * size, "byte"))};
}

std::string describe(cpu_panels const& plan) { return fmt::format("panels: {}; {}", plan.shape, describe(plan.transpose)); }

}  // namespace cornerturn
