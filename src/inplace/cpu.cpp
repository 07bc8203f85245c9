#include "inplace/cpu.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/divisors.hpp"
#include "base/round.hpp"
#include "cpu/panels/plan.hpp"
#include "cpu/sizes.hpp"
#include "cpu/swap/plan.hpp"
#include "machine/launch_work.hpp"

namespace cornerturn {
namespace {

/// The cost of a cut on the CPU. A panel has whole rows of the array before and after. So slots cost more only if they are both
/// narrow and short, or if their rows are not whole vectors.
double cpu_cost(placed_exchange const& whole, rectangle_cut const& cut, bool swaps_first, cpu_limits const& limits) {
  auto const bytes_of = [&](std::int64_t runs) { return runs * whole.run * whole.element_size; };
  auto const& rates = kZen4Exchanges;
  auto const most = cut.panel_bytes(whole) > limits.longest_panel / 2 ? rates.large_panels : rates.panels;
  auto const width = bytes_of(bytes_of(cut.rows) >= limits.long_slot ? whole.columns : cut.columns);
  auto const filled = double(width) / double(round_up(width, kCacheLine));
  return passes_cost(whole, cut, share_of_copy(most, double(width), rates.half_column) * (1 + filled) / 2,
                     share_of_copy(rates.slots, double(bytes_of(swaps_first ? cut.columns : cut.rows)), rates.half_slot));
}

/// The time of a swap of squares by the CPU, in units of the time of a copy. Single elements are transposed in vector registers,
/// longer runs are swapped one by one.
double swap_cost(placed_exchange const& all) {
  auto const& rates = kZen4Exchanges;
  return 1 / (all.run == 1 ? rates.elements : share_of_copy(rates.runs, double(all.run * all.element_size), rates.half_run));
}

/// The expected time of the panels of chunks and of the saved parts, in units of the time of a copy.
double cost_of(rectangle_passes const& passes, cpu_limits const& limits) {
  auto const& rates = kZen4Exchanges;
  auto const& all = passes.panel;
  return (all.panel_bytes() > limits.longest_panel / 2 ? rates.large_chunk_panels : rates.chunk_panels) +
         (passes.saved.empty() ? 0 : rates.copies) + kSavedCost * double(passes.workspace_bytes) / double(all.bytes());
}

/// The chunks that are tried, for each of a few sizes of panels. Chunks that leave no indices consist of whole cache lines. Other
/// chunks are an odd number of cache lines, so that runs fall into different sets of the caches, or leave few indices.
std::vector<chunking> chunkings_of(placed_exchange const& whole, cpu_limits const& limits) {
  auto const longer = whole.longer(), shorter = whole.shorter(), run_bytes = whole.run * whole.element_size,
             line = kCacheLine / std::gcd(kCacheLine, run_bytes);
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

/// The steps of both passes and of the copies of the saved parts. `runs` is the step of the second pass, if there is one.
candidate steps_of(rectangle_passes const& passes, std::optional<step> runs, cpu_limits const& limits) {
  auto copies = copies_of(passes, {}, [&](problem const& p, alignment const&) { return step{plan_cpu(p, {.limits = limits})}; });
  return {.steps = steps_of(std::move(runs), inplace_step(plan_cpu_panels(passes.panel, limits)), passes.swaps_first,
                            std::move(copies).value()),
          .workspace_bytes = passes.workspace_bytes};
}

/// A way of one step, whose plan make_plan() returns.
template <class MakePlan>
cpu_exchange in_one_step(MakePlan const& make_plan, double cost) {
  return {[=] { return candidate{.steps = {inplace_step(make_plan())}}; }, cost};
}

}  // namespace

candidate cpu_rectangle(placed_exchange const& whole, rectangle_cut const& cut, bool swaps_first, cpu_limits const& limits) {
  auto const passes = passes_of(whole, cut, swaps_first);
  std::optional<step> slots;
  if (cut.parts > 1) slots = inplace_step(plan_cpu_swap(passes.runs, limits));
  return steps_of(passes, std::move(slots), limits);
}

std::optional<cpu_skinny> plan_cpu_skinny(placed_exchange const& whole, std::int64_t most_workspace, cpu_limits const& limits) {
  if (whole.between > 1 || whole.is_square()) return std::nullopt;
  std::optional<cpu_skinny> best;
  for (auto const& each : chunkings_of(whole, limits)) {
    auto passes = passes_of(whole, each);
    auto const boxes = plan_cpu_boxes(passes.runs, limits);
    if (!boxes || passes.workspace_bytes > most_workspace) continue;
    auto const cost = cost_of(passes, limits) + cost_of(*boxes);
    if (!best || cost < best->cost) best = cpu_skinny{std::move(passes), *boxes, cost};
  }
  return best;
}

candidate steps_of(cpu_skinny const& plan, cpu_limits const& limits) {
  return steps_of(plan.passes, inplace_step(plan.boxes), limits);
}

std::vector<cpu_exchange> cpu_exchanges(placed_exchange const& whole, cpu_limits const& limits, std::int64_t most_workspace) {
  constexpr double kSmallArraysCost = 1 / 0.5;
  if (whole.is_square()) return {in_one_step([=] { return plan_cpu_swap(whole, limits); }, swap_cost(whole))};
  if (auto const small = plan_cpu_small_panels(whole, limits)) return {in_one_step([=] { return *small; }, kSmallArraysCost)};
  if (whole.panel_bytes() <= limits.longest_panel)
    return {in_one_step([=] { return plan_cpu_panels(whole, limits); },
                        cpu_cost(whole, {.rows = whole.rows * whole.between, .columns = whole.columns}, false, limits))};
  std::vector<cpu_exchange> result;
  if (auto const boxes = plan_cpu_boxes(whole, limits)) result.push_back(in_one_step([=] { return *boxes; }, cost_of(*boxes)));
  if (whole.between > 1) return result;
  auto const cost = [&](rectangle_cut const& cut, bool swaps_first) { return cpu_cost(whole, cut, swaps_first, limits); };
  for (auto const most_bytes : {limits.panel, limits.longest_panel})
    for (auto const& each : cheapest_cuts(whole, most_bytes, most_workspace, 1, cost))
      result.push_back({[=] { return cpu_rectangle(whole, each.cut, each.swaps_first, limits); }, each.cost});
  if (auto const chunks = plan_cpu_skinny(whole, most_workspace, limits))
    result.push_back({[=] { return steps_of(*chunks, limits); }, chunks->cost});
  return result;
}

std::optional<cpu_exchange> cheapest_cpu_exchange(placed_exchange const& whole, cpu_limits const& limits,
                                                  std::int64_t most_workspace) {
  auto all = cpu_exchanges(whole, limits, most_workspace);
  auto const best = std::ranges::min_element(all, {}, &cpu_exchange::cost);
  return best == all.end() ? std::nullopt : std::optional(std::move(*best));
}

}  // namespace cornerturn
