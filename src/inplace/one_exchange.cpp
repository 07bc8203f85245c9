#include "inplace/one_exchange.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "base/round.hpp"
#include "cpu/sizes.hpp"
#include "inplace/cpu_skinny.hpp"
#include "inplace/gpu_exchanging.hpp"
#include "inplace/gpu_passes.hpp"
#include "inplace/gpu_skinny.hpp"
#include "inplace/saved_copies.hpp"
#include "inplace/small_arrays.hpp"
#include "plan/choose.hpp"
#include "problem/canonical.hpp"
#include "problem/validate.hpp"

namespace cornerturn {
namespace {

/// The share of a copy's speed that a pass with runs of `bytes` bytes reaches. Long runs reach `most`, and runs of `half` bytes
/// reach half of `most`.
double share_of(double most, double bytes, double half) { return most * bytes / (bytes + half); }

/// The time that a saved element takes, in units of the time of a copy of an element. It is read and written twice, the second
/// time in short runs.
constexpr double kSavedCost = 4;

/// The time of both passes over rectangles, and of their saved parts, in units of the time of a copy of the rectangles.
/// `panels_share` and `slots_share` are the passes' shares of a copy's speed.
double passes_cost(panels const& whole, rectangle_cut const& cut, double panels_share, double slots_share) {
  return 1 / panels_share + (cut.parts == 1 ? 0 : 1 / slots_share) +
         kSavedCost * double(cut.workspace_bytes) / double(whole.bytes());
}

/// The cost of a cut on the CPU. A panel has whole rows of the array before and after. So slots cost more only if they are both
/// narrow and short, or if their rows are not whole vectors. Panels of more than half of the largest size leave a thread's share
/// of the level 3 cache. The shares were fitted to the times of passes and of copies on an AMD EPYC (Zen 4), and vary by a fifth.
double cpu_cost(panels const& whole, rectangle_cut const& cut, bool swaps_first, cpu_limits const& limits) {
  auto const bytes_of = [&](std::int64_t runs) { return runs * whole.run * whole.element_size; };
  auto const most = cut.panel_bytes(whole) > limits.longest_panel / 2 ? 0.5 : 0.6;
  auto const width = bytes_of(bytes_of(cut.rows) >= limits.long_slot ? whole.columns : cut.columns);
  auto const filled = double(width) / double(round_up(width, kCacheLine));
  return passes_cost(whole, cut, share_of(most, double(width), 16) * (1 + filled) / 2,
                     share_of(0.9, double(bytes_of(swaps_first ? cut.columns : cut.rows)), 40));
}

/// The time of a swap of squares by the CPU, in units of the time of a copy. The shares are rough: single elements are transposed
/// in vector registers, longer runs are swapped one by one.
double cpu_cost(squares const& all) { return 1 / (all.run == 1 ? 0.55 : share_of(0.6, double(all.run * all.element_size), 43)); }

/// The time of panels that are moved by tiles, in the same unit.
constexpr double kSmallPanelsCost = 1 / 0.5;

/// The share of a copy's speed with which a GPU swaps slots that have runs of `bytes` bytes.
double gpu_slots_share(double bytes, std::int64_t element_size, bool is_aligned) {
  if (!is_aligned) return share_of(std::min(0.88, 0.5 + 0.2 * double(element_size)), bytes, 8);
  if (bytes == 16) return 0.93;
  return std::fmod(bytes, 32) != 0 ? 0.6 : bytes == 32 || std::fmod(bytes, 128) == 0 ? 0.82 : 0.74;
}

/// The cost of a cut on a GPU with panels of at most `most_bytes` bytes. It selects the cuts that are planned; the plans have
/// better estimates.
double gpu_cost(panels const& whole, rectangle_cut const& cut, bool swaps_first, std::int64_t most_bytes) {
  auto const size = whole.element_size;
  auto const are_vectors = [&](auto... elements) { return ((elements * size % 16 == 0) && ...); };
  bool const is_aligned = are_vectors(whole.source_pitch, whole.destination_pitch, cut.rows * whole.run, cut.columns * whole.run);
  // The largest panel fills 16 SMs. So half of it fills 16 blocks, two on an SM, and a quarter fills 8 such blocks. The limits
  // are a little lower, because each block reserves shared memory and pads its rows.
  auto const filled = double(cut.panel_bytes(whole)) / double(most_bytes);
  double const share = panels_share(int(size), is_aligned, filled < 0.24 ? 8 : 16, filled < 0.48);
  auto const run = double((swaps_first ? cut.columns : cut.rows) * whole.run * size);
  return passes_cost(whole, cut, share, gpu_slots_share(run, size, is_aligned));
}

/// Restates a problem as rectangles, with elements as large as the alignment allows. Returns nothing for other problems.
std::optional<panels> rectangles_of(problem const& canonical, alignment const& aligned) {
  auto whole = panels_of(refit_elements(canonical, aligned));
  return whole && whole->slots == 1 ? whole : std::nullopt;
}

exchange groups_of(panels const& all) { return {all.batch.count, all.rows, all.slots, all.columns, all.run}; }

/// Adds the ways of the CPU to exchange the sides of rectangles that are too large for a thread's panel.
void add_boxes(std::vector<cpu_exchange>& to, exchange const& groups, std::int64_t element_size, cpu_limits const& limits) {
  if (auto const boxes = plan_cpu_boxes(groups, element_size, limits))
    to.push_back({[=] { return candidate{.steps = {inplace_step(*boxes)}}; }, cost_of(*boxes)});
}

void add_passes(std::vector<cpu_exchange>& to, panels const& whole, cpu_limits const& limits, std::int64_t most_workspace) {
  auto const cost = [&](rectangle_cut const& cut, bool swaps_first) { return cpu_cost(whole, cut, swaps_first, limits); };
  for (auto const most_bytes : {limits.panel, limits.longest_panel})
    for (auto const& each : cheapest_cuts(whole, most_bytes, most_workspace, 1, cost))
      to.push_back({[=] { return cpu_rectangle(whole, each.cut, each.swaps_first, limits); }, each.cost});
}

void add_chunks(std::vector<cpu_exchange>& to, exchange const& groups, std::int64_t element_size, cpu_limits const& limits,
                std::int64_t most_workspace) {
  if (auto const planned = plan_cpu_skinny(groups, element_size, most_workspace, limits))
    to.push_back({[=] { return steps_of(*planned, limits); }, planned->cost});
}

std::optional<gpu_passes> plan_passes(panels const& whole, rectangle_cut const& cut, bool swaps_first, alignment const& aligned,
                                      gpu_model const& gpu) {
  auto passes = passes_of(whole, cut, swaps_first);
  auto const panel = plan_panels(passes.panel, aligned.destination, gpu);
  if (!panel) return std::nullopt;
  gpu_passes result{std::move(passes), *panel, {}, expected_seconds(*panel, gpu)};
  if (cut.parts == 1) return result;
  auto const slots = std::move(one_step_inplace(result.passes.slots, aligned, gpu).front());
  result.slots = only_step(slots);
  result.seconds += slots.seconds;
  return result;
}

/// The ways of a GPU to exchange two groups of modes.
struct gpu_ways {
  std::vector<candidate> planned;  ///< ways without copies
  std::vector<gpu_passes> passes;  ///< the most promising ways with copies
};

gpu_ways ways_of(problem const& canonical, alignment const& aligned, gpu_model const& gpu, std::int64_t most_workspace) {
  constexpr std::size_t kMostPlanned = 4;
  gpu_ways result{one_step_inplace(canonical, aligned, gpu), {}};
  auto const most = kMostPlanned - result.planned.size();
  if (auto small = small_arrays_inplace(refit_elements(canonical, aligned), aligned, gpu))
    result.planned.push_back(*std::move(small));
  auto const whole = rectangles_of(canonical, aligned);
  if (!whole) return result;
  result.passes = gpu_skinny(*whole, aligned, gpu, most_workspace);
  auto const most_bytes = most_panel_bytes(gpu);
  auto const cost = [&](rectangle_cut const& cut, bool first) { return gpu_cost(*whole, cut, first, most_bytes); };
  // If panels of some cuts do not fit into shared memory, more cuts are tried.
  for (std::size_t tried = 0, count = most;; count *= 2) {
    auto const cuts = cheapest_cuts(*whole, most_bytes, most_workspace, count, cost);
    for (; tried < cuts.size() && result.passes.size() < most; ++tried)
      if (auto planned = plan_passes(*whole, cuts[tried].cut, cuts[tried].swaps_first, aligned, gpu))
        result.passes.push_back(std::move(*planned));
    if (result.passes.size() == most || cuts.size() < count) break;
  }
  std::ranges::move(gpu_exchanging(*whole, aligned, gpu, most_workspace), std::back_inserter(result.passes));
  return result;
}

}  // namespace

std::int64_t most_panel_bytes(gpu_model const& gpu) {
  return std::int64_t(gpu.limits.most_shared_bytes()) * gpu.limits.cluster_blocks;
}

std::optional<candidate> gpu_rectangle(panels const& whole, rectangle_cut const& cut, bool swaps_first, alignment const& aligned,
                                       gpu_model const& gpu) {
  auto const planned = plan_passes(whole, cut, swaps_first, aligned, gpu);
  return planned ? with_copies(*planned, aligned, gpu) : std::nullopt;
}

candidate cpu_rectangle(panels const& whole, rectangle_cut const& cut, bool swaps_first, cpu_limits const& limits) {
  auto const passes = passes_of(whole, cut, swaps_first);
  std::optional<step> slots;
  if (auto const all = squares_of(passes.slots)) slots = inplace_step(plan_cpu_swap(*all, limits));
  auto copies = copies_of(passes, {}, [&](problem const& p, alignment const&) { return step{plan_cpu(p, {.limits = limits})}; });
  return {.steps = steps_of(std::move(slots), inplace_step(plan_cpu_panels(passes.panel, limits)), swaps_first,
                            std::move(copies).value()),
          .workspace_bytes = passes.workspace_bytes};
}

std::vector<candidate> gpu_exchange_candidates(problem const& canonical, alignment const& aligned, gpu_model const& gpu,
                                               std::int64_t most_workspace) {
  auto [result, passes] = ways_of(canonical, aligned, gpu, most_workspace);
  for (auto const& each : passes) result.push_back(with_copies(each, aligned, gpu).value());
  std::ranges::stable_sort(result, {}, &candidate::seconds);
  return result;
}

std::optional<candidate> fastest_gpu_exchange(problem const& canonical, alignment const& aligned, gpu_model const& gpu,
                                              std::int64_t most_workspace) {
  auto [planned, passes] = ways_of(canonical, aligned, gpu, most_workspace);
  std::optional<candidate> best;
  if (auto const fastest = std::ranges::min_element(planned, {}, &candidate::seconds); fastest != planned.end())
    best = std::move(*fastest);
  // Copies take long to plan, so only the faster order of the passes is planned to the end, because both have the same copies.
  auto const is_slower_order = [&](gpu_passes const& each) {
    return std::ranges::any_of(
        passes, [&](gpu_passes const& other) { return other.passes.panel == each.passes.panel && other.seconds < each.seconds; });
  };
  for (auto const& each : passes)
    if (!is_slower_order(each))
      if (auto way = best ? with_copies(each, aligned, gpu, best->seconds) : with_copies(each, aligned, gpu))
        best = std::move(way);
  return best;
}

std::vector<cpu_exchange> cpu_exchanges(problem const& canonical, cpu_limits const& limits, std::int64_t most_workspace) {
  if (auto const all = squares_of(canonical))
    return {{[=, squares = *all] { return candidate{.steps = {inplace_step(plan_cpu_swap(squares, limits))}}; }, cpu_cost(*all)}};
  auto const whole = panels_of(canonical);
  if (!whole) return {};
  if (auto const small = plan_cpu_small_panels(*whole, limits))
    return {{[=, plan = *small] { return candidate{.steps = {inplace_step(plan)}}; }, kSmallPanelsCost}};
  if (whole->bytes_of_panel() <= limits.longest_panel)
    return {{[=, panel = *whole] { return candidate{.steps = {inplace_step(plan_cpu_panels(panel, limits))}}; },
             cpu_cost(*whole, {.rows = whole->rows * whole->slots, .columns = whole->columns}, false, limits)}};
  std::vector<cpu_exchange> result;
  auto const groups = groups_of(*whole);
  add_boxes(result, groups, whole->element_size, limits);
  if (whole->slots > 1) return result;
  add_passes(result, *whole, limits, most_workspace);
  add_chunks(result, groups, whole->element_size, limits, most_workspace);
  return result;
}

std::optional<cpu_exchange> cheapest_cpu_exchange(problem const& canonical, cpu_limits const& limits,
                                                  std::int64_t most_workspace) {
  auto all = cpu_exchanges(canonical, limits, most_workspace);
  auto const best = std::ranges::min_element(all, {}, &cpu_exchange::cost);
  return best == all.end() ? std::nullopt : std::optional(std::move(*best));
}

}  // namespace cornerturn
