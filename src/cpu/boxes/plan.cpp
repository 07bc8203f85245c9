#include "cpu/boxes/plan.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cornerturn/text.hpp"

namespace cornerturn {

std::optional<cpu_boxes> plan_cpu_boxes(placed_exchange const& all, cpu_limits const& limits) {
  auto const size = all.element_size;
  cpu_boxes result{.rows = all.rows,
                   .between = all.between,
                   .columns = all.columns,
                   .run = all.run * size,
                   .group = all.source.group,
                   .gap = all.source.gap * size,
                   .arrays = all.batch,
                   .array_stride = all.array_stride * size,
                   .threads = limits.threads};
  // The whole cache lines of each run that fit into `bytes` bytes. The larger a box is, the more of it leaves the caches.
  auto const fitting = [&](std::int64_t bytes, std::int64_t most) {
    return std::min(bytes / result.runs() / kCacheLine * kCacheLine - result.kept(), most);
  };
  auto const enough = round_up(limits.box_part, 2 * kCacheLine);
  auto const part = std::max(
      {fitting(limits.panel, result.run), fitting(limits.longest_panel / 2, enough), fitting(limits.longest_panel, enough / 2)});
  result.part = std::min(result.run, part);
  return result.part < kCacheLine ? std::nullopt : std::optional(result);
}

double cost_of(cpu_boxes const& plan) {
  auto const& rates = kZen4Exchanges;
  double const half = plan.kept() > 0 ? rates.half_kept : rates.half_part, part = double(plan.part);
  // Runs that begin at the same place of every page share few sets of the caches.
  return (part + half) / (rates.boxes * part) + (plan.run % kPage == 0 ? rates.same_sets : 0);
}

std::string describe(cpu_boxes const& plan) {
  return fmt::format("boxes: {} of {} x {} x {} runs, {} of each", plan.tasks(), plan.rows, plan.between, plan.columns,
                     count_text(plan.part, "byte"));
}

plan_decisions<cpu_boxes> cpu_boxes::decisions() {
  return {{{"runs", {"runs of lines", "runs of any length"}, [](cpu_boxes const& plan) { return plan.kept() > 0; }},
           {"modes", {"neighbouring modes", "modes between"}, [](cpu_boxes const& plan) { return plan.between > 1; }},
           {"gaps", {"no gaps", "gaps between groups"}, [](cpu_boxes const& plan) { return plan.gap > 0; }},
           {"arrays", {"one array", "several arrays"}, [](cpu_boxes const& plan) { return plan.arrays > 1; }}},
          {{"modes between", {"gaps between groups"}, "only chunks of rectangles have gaps"}}};
}

}  // namespace cornerturn
