#include "inplace/cpu_skinny.hpp"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "base/divisors.hpp"
#include "base/round.hpp"
#include "cpu/panels/plan.hpp"
#include "cpu/sizes.hpp"
#include "inplace/one_exchange.hpp"
#include "inplace/saved_copies.hpp"
#include "plan/chunking.hpp"

namespace cornerturn {
namespace {

/// The expected time of the panels and of what is saved, in units of the time of a copy. Panels of more than half of the largest
/// size leave a thread's share of the level 3 cache. The times were fitted like that of boxes.
double cost_of(rectangle_passes const& passes, cpu_limits const& limits) {
  constexpr double kPanels = 1.9, kLargePanels = 2.2, kSaved = 4, kCopies = 0.05;
  auto const& all = passes.panel;
  return (all.bytes_of_panel() > limits.longest_panel / 2 ? kLargePanels : kPanels) + (passes.saved.empty() ? 0 : kCopies) +
         kSaved * double(passes.workspace_bytes) / double(all.bytes());
}

/// Both passes with given chunks. If indices remain, the number of chunks is a multiple of the shorter side. Empty if a box does
/// not fit.
std::optional<cpu_skinny> in_chunks(exchange const& groups, std::int64_t element_size, chunking const& chunks,
                                    cpu_limits const& limits) {
  bool const is_tall = groups.rows > groups.columns;
  auto const longer = std::max(groups.rows, groups.columns), shorter = std::min(groups.rows, groups.columns),
             rows = is_tall ? chunks.length : shorter, columns = is_tall ? shorter : chunks.length,
             gap = chunks.left * groups.run;
  panels const whole{.rows = groups.rows,
                     .columns = groups.columns,
                     .run = groups.run,
                     .source_pitch = groups.columns * groups.run,
                     .destination_pitch = groups.rows * groups.run,
                     .batch = {groups.batch, shorter * longer * groups.run},
                     .element_size = element_size};
  auto panel = whole;
  panel.rows = rows, panel.columns = columns, panel.count = chunks.count;
  panel.source_pitch = columns * groups.run, panel.destination_pitch = rows * groups.run;
  panel.source_stride = panel.destination_stride = rows * columns * groups.run;
  if (gap > 0) {
    panel.group = chunks.count / shorter;
    (is_tall ? panel.destination_gap : panel.source_gap) = gap;
  }
  auto const boxes = plan_cpu_boxes({.batch = groups.batch,
                                     .rows = is_tall ? chunks.count : shorter,
                                     .columns = is_tall ? shorter : chunks.count,
                                     .run = chunks.length * groups.run},
                                    element_size, limits, {chunks.count, gap});
  if (!boxes) return std::nullopt;
  cpu_skinny result{rectangle_passes(panel, !is_tall), *boxes};
  auto const kept = chunks.count * chunks.length;
  if (is_tall)
    result.passes.save_rows(whole, kept);
  else
    result.passes.save_columns(whole, whole.rows, kept);
  result.cost = cost_of(result.passes, limits) + cost_of(result.boxes);
  return result;
}

/// The chunks that are tried, for each of a few sizes of panels. Chunks that leave no indices consist of whole cache lines. Other
/// chunks are an odd number of cache lines, so that runs fall into different sets of the caches, or leave few indices.
std::vector<chunking> chunkings_of(exchange const& groups, std::int64_t element_size, cpu_limits const& limits) {
  auto const longer = std::max(groups.rows, groups.columns), shorter = std::min(groups.rows, groups.columns),
             run_bytes = groups.run * element_size, line = kCacheLine / std::gcd(kCacheLine, run_bytes);
  std::vector<chunking> result;
  for (auto most_bytes = limits.panel; most_bytes <= limits.longest_panel; most_bytes *= 2) {
    auto const most = std::min(longer / 2, most_bytes / (shorter * run_bytes));
    if (most == 0) continue;
    if (line <= most && longer % line == 0) {
      auto const length = line * divisors_of(longer / line, most / line).back();
      result.push_back({length, longer / length, 0});
    }
    auto const count = round_up(ceil_div(longer, most), shorter), length = longer / count, lines = length / line;
    if (lines > 0) {
      auto const odd = (lines % 2 == 0 ? lines - 1 : lines) * line;
      result.push_back({odd, count, longer - count * odd});
    }
    if (length > 0) result.push_back({length, count, longer % count});
  }
  return result;
}

}  // namespace

std::optional<cpu_skinny> plan_cpu_skinny(exchange const& groups, std::int64_t element_size, std::int64_t most_workspace,
                                          cpu_limits const& limits) {
  if (groups.between > 1 || groups.rows == groups.columns) return std::nullopt;
  std::optional<cpu_skinny> best;
  for (auto const& each : chunkings_of(groups, element_size, limits))
    if (auto way = in_chunks(groups, element_size, each, limits);
        way && way->passes.workspace_bytes <= most_workspace && (!best || way->cost < best->cost))
      best = std::move(way);
  return best;
}

candidate steps_of(cpu_skinny const& plan, cpu_limits const& limits) {
  auto const& passes = plan.passes;
  auto copies = copies_of(passes, {}, [&](problem const& p, alignment const&) { return step{plan_cpu(p, {.limits = limits})}; });
  return {.steps = steps_of(inplace_step(plan.boxes), inplace_step(plan_cpu_panels(passes.panel, limits)), passes.swaps_first,
                            std::move(copies).value()),
          .workspace_bytes = passes.workspace_bytes};
}

}  // namespace cornerturn
