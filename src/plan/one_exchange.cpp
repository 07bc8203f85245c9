#include "plan/one_exchange.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "kernel/round.hpp"
#include "plan/choose.hpp"
#include "plan/cpu_sizes.hpp"
#include "plan/cpu_skinny.hpp"
#include "plan/gpu_skinny.hpp"
#include "problem/canonical.hpp"
#include "problem/validate.hpp"

namespace cornerturn {
namespace {

/// The share of a copy's speed that a pass with runs of `bytes` bytes reaches. Long runs reach `most`, runs of `half` bytes reach
/// half of it.
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

/// The cost of a cut on the CPU. A panel has whole rows of the array before and after, so short rows and columns of its slots
/// cost little. Panels of more than half of the largest size leave a thread's share of the level 3 cache. The shares were fitted
/// to the processor time of passes and of copies on an AMD EPYC (Zen 4), and vary by a fifth.
double cpu_cost(panels const& whole, rectangle_cut const& cut, bool swaps_first) {
  auto const run = double((swaps_first ? cut.columns : cut.rows) * whole.run * whole.element_size);
  return passes_cost(whole, cut, cut.panel_bytes(whole) > kLongestCpuPanel / 2 ? 0.3 : 0.38, share_of(0.75, run, 18));
}

/// The time of a swap of squares by the CPU, in units of the time of a copy. The shares are rough: single elements are transposed
/// in vector registers, longer runs are swapped one by one.
double cpu_cost(squares const& all) { return 1 / (all.run == 1 ? 0.55 : share_of(0.6, double(all.run * all.element_size), 43)); }

/// The time of boxes that have `bytes` bytes of each run, in the same unit. It was fitted like the shares of panels.
double boxes_cost(std::int64_t bytes) { return 1 / share_of(0.55, double(bytes), 190); }

/// The share of a copy's speed with which a GPU swaps slots that have runs of `bytes` bytes.
double gpu_slots_share(double bytes, std::int64_t element_size, bool is_aligned) {
  if (!is_aligned) return share_of(std::min(0.8, 0.3 + 0.1 * double(element_size)), bytes, 8);
  if (bytes == 16) return 0.93;
  return bytes == 64 || std::fmod(bytes, 32) != 0 ? 0.7 : 0.87;
}

/// The cost of a cut on a GPU with panels of at most `most_bytes` bytes. It selects the cuts that are planned. Plans have a
/// better estimate.
double gpu_cost(panels const& whole, rectangle_cut const& cut, bool swaps_first, std::int64_t most_bytes) {
  auto const size = whole.element_size;
  auto const are_vectors = [&](auto... elements) { return ((elements * size % 16 == 0) && ...); };
  bool const is_aligned = are_vectors(whole.source_pitch, whole.destination_pitch, cut.rows * whole.run, cut.columns * whole.run);
  // The largest panel fills 16 SMs. So half of it fills 16 blocks of which an SM has two, and a quarter fills 8 such blocks. The
  // limits are a little lower, because each block reserves shared memory and pads its rows.
  auto const filled = double(cut.panel_bytes(whole)) / double(most_bytes);
  double const share = panels_share(int(size), is_aligned, filled < 0.24 ? 8 : 16, filled < 0.48);
  auto const run = double((swaps_first ? cut.columns : cut.rows) * whole.run * size);
  return passes_cost(whole, cut, share, gpu_slots_share(run, size, is_aligned));
}

/// A cut, the order of the passes, and the expected time in units of the time of a copy.
struct ranked_cut {
  rectangle_cut cut;
  bool swaps_first;
  double cost;
};

/// The cuts whose panels and workspace are within the limits (bytes), each in both orders, sorted by cost(whole, cut,
/// swaps_first).
template <class Cost>
std::vector<ranked_cut> ranked_cuts(panels const& whole, std::int64_t most_bytes, std::int64_t most_workspace, Cost const& cost) {
  std::vector<ranked_cut> result;
  for (auto const& cut : cuts_of(whole, most_bytes, most_workspace))
    for (bool const swaps_first : {false, true}) result.push_back({cut, swaps_first, cost(whole, cut, swaps_first)});
  std::ranges::stable_sort(result, {}, &ranked_cut::cost);
  return result;
}

double workspace_cost(panels const&, rectangle_cut const& cut, bool) { return double(cut.workspace_bytes); }

/// All steps in order: copies of the saved parts to the workspace, both passes, copies from the workspace. `slots` is the step
/// that swaps slots, if there is one. make_copy(problem, alignment) returns the step of a copy.
template <class MakeCopy>
std::vector<step> steps_of(rectangle_passes const& passes, alignment const& aligned, std::vector<step> slots, step const& panel,
                           MakeCopy const& make_copy) {
  using enum buffer_role;
  constexpr int kWorkspaceAlign = 16;
  slots.insert(passes.swaps_first ? slots.end() : slots.begin(), panel);
  std::vector<step> result;
  for (auto const& each : passes.saved) {
    auto copy = make_copy(each.save, alignment{aligned.destination, kWorkspaceAlign});
    copy.source = {destination}, copy.destination = {workspace, each.offset};
    result.push_back(std::move(copy));
  }
  std::ranges::move(slots, std::back_inserter(result));
  for (auto const& each : passes.saved) {
    auto copy = make_copy(each.restore, alignment{kWorkspaceAlign, aligned.destination});
    copy.source = {workspace, each.offset}, copy.destination = {destination};
    result.push_back(std::move(copy));
  }
  return result;
}

/// Restates a problem as rectangles, with elements as large as the alignment allows. Empty if it is something else.
std::optional<panels> rectangles_of(problem const& canonical, alignment const& aligned) {
  auto whole = panels_of(refit_elements(canonical, aligned));
  return whole && whole->slots == 1 ? whole : std::nullopt;
}

exchange groups_of(panels const& all) { return {all.batch.count, all.rows, all.slots, all.columns, all.run}; }

/// The ways of the CPU to exchange the sides of rectangles that are no panel of a thread.
std::optional<cpu_exchange> in_boxes(exchange const& groups, std::int64_t element_size, int threads) {
  auto const boxes = plan_cpu_boxes(groups, element_size, 0, threads);
  if (!boxes) return std::nullopt;
  return cpu_exchange{{.steps = {inplace_step(*boxes)}}, boxes_cost(boxes->part)};
}

std::optional<cpu_exchange> in_passes(panels const& whole, int threads, std::int64_t most_workspace) {
  std::optional<ranked_cut> best;
  for (auto const most_bytes : {kCpuPanel, kLongestCpuPanel}) {
    auto const cuts = ranked_cuts(whole, most_bytes, most_workspace, [](auto const&... given) { return cpu_cost(given...); });
    if (!cuts.empty() && (!best || cuts.front().cost < best->cost)) best = cuts.front();
  }
  if (!best) return std::nullopt;
  return cpu_exchange{cpu_rectangle(whole, best->cut, best->swaps_first, threads), best->cost};
}

std::optional<cpu_exchange> in_chunks(exchange const& groups, std::int64_t element_size, int threads,
                                      std::int64_t most_workspace) {
  constexpr double kPanels = 2.2, kShift = 2;
  auto planned = plan_cpu_skinny(groups, element_size, threads, most_workspace);
  if (!planned) return std::nullopt;
  double const cost = kPanels + boxes_cost(planned->part_bytes) + (planned->shifts ? kShift : 0);
  return cpu_exchange{std::move(planned->way), cost};
}

}  // namespace

std::int64_t most_panel_bytes(gpu_model const& gpu) {
  return std::int64_t(gpu.limits.shared_bytes_per_sm - gpu.limits.reserved_shared_bytes) * gpu.limits.cluster_blocks;
}

std::optional<candidate> gpu_rectangle(panels const& whole, rectangle_cut const& cut, bool swaps_first, alignment const& aligned,
                                       gpu_model const& gpu) {
  auto const passes = passes_of(whole, cut, swaps_first);
  auto const panel = plan_panels(passes.panel, aligned.destination, gpu);
  if (!panel) return std::nullopt;
  candidate result{.steps = {},
                   .workspace_bytes = passes.workspace_bytes,
                   .seconds = expected_seconds(*panel, gpu),
                   .is_scaled = gpu.is_scaled};
  auto const first = [&](std::vector<candidate> candidates) {
    result.seconds += candidates.front().seconds;
    return std::move(candidates.front().steps.front());
  };
  auto moved = inplace_step(*panel);
  std::vector<step> slots;
  if (cut.parts > 1) slots.push_back(first(one_step_inplace(passes.slots, aligned, gpu)));
  if (passes.flags_bytes > 0) moved.source = {buffer_role::workspace};
  result.steps = steps_of(passes, aligned, std::move(slots), moved,
                          [&](problem const& p, alignment const& both) { return first(candidates_of(p, both, gpu)); });
  if (passes.flags_bytes > 0)
    result.steps.insert(result.steps.begin(), {clearing{passes.flags_bytes}, {buffer_role::workspace}, {buffer_role::workspace}});
  return result;
}

candidate cpu_rectangle(panels const& whole, rectangle_cut const& cut, bool swaps_first, int threads) {
  auto const passes = passes_of(whole, cut, swaps_first);
  std::vector<step> slots;
  if (auto const all = squares_of(passes.slots)) slots.push_back(inplace_step(plan_cpu_swap(*all, threads)));
  return {.steps = steps_of(passes, {}, std::move(slots), inplace_step(plan_cpu_panels(passes.panel, threads)),
                            [&](problem const& p, alignment const&) { return step{plan_cpu(p, {.threads = threads})}; }),
          .workspace_bytes = passes.workspace_bytes};
}

std::vector<candidate> gpu_exchange_candidates(problem const& canonical, alignment const& aligned, gpu_model const& gpu,
                                               std::int64_t most_workspace) {
  constexpr std::size_t kMostPlanned = 4;
  auto result = one_step_inplace(canonical, aligned, gpu);
  auto const whole = rectangles_of(canonical, aligned);
  if (!whole) return result;
  if (auto chunks = gpu_skinny(*whole, aligned, gpu)) result.push_back(std::move(*chunks));
  auto const most_bytes = most_panel_bytes(gpu);
  auto const cost = [=](panels const& all, rectangle_cut const& cut, bool first) {
    return gpu_cost(all, cut, first, most_bytes);
  };
  for (auto const& each : ranked_cuts(*whole, most_bytes, most_workspace, cost)) {
    if (result.size() == kMostPlanned) break;
    if (auto planned = gpu_rectangle(*whole, each.cut, each.swaps_first, aligned, gpu)) result.push_back(std::move(*planned));
  }
  std::ranges::stable_sort(result, {}, &candidate::seconds);
  return result;
}

std::optional<cpu_exchange> plan_cpu_exchange(problem const& canonical, int threads, std::int64_t most_workspace) {
  if (auto const all = squares_of(canonical))
    return cpu_exchange{{.steps = {inplace_step(plan_cpu_swap(*all, threads))}}, cpu_cost(*all)};
  auto const whole = panels_of(canonical);
  if (!whole) return std::nullopt;
  if (whole->bytes_of_panel() <= kLongestCpuPanel)
    return cpu_exchange{{.steps = {inplace_step(plan_cpu_panels(*whole, threads))}},
                        cpu_cost(*whole, {.rows = whole->rows * whole->slots, .columns = whole->columns}, false)};
  std::optional<cpu_exchange> best;
  auto const consider = [&](std::optional<cpu_exchange> way) {
    if (way && (!best || way->cost < best->cost)) best = std::move(way);
  };
  auto const groups = groups_of(*whole);
  consider(in_boxes(groups, whole->element_size, threads));
  if (whole->slots > 1) return best;
  consider(in_passes(*whole, threads, most_workspace));
  consider(in_chunks(groups, whole->element_size, threads, most_workspace));
  return best;
}

std::optional<std::int64_t> least_gpu_rectangle_workspace(problem const& canonical, alignment const& aligned,
                                                          gpu_model const& gpu) {
  auto const whole = rectangles_of(canonical, aligned);
  if (!whole) return std::nullopt;
  for (auto const& each : ranked_cuts(*whole, most_panel_bytes(gpu), kAnyWorkspace, workspace_cost))
    if (auto const planned = gpu_rectangle(*whole, each.cut, each.swaps_first, aligned, gpu)) return planned->workspace_bytes;
  return std::nullopt;
}

std::optional<std::int64_t> least_cpu_rectangle_workspace(problem const& canonical) {
  auto const whole = panels_of(canonical);
  if (!whole || whole->slots > 1) return std::nullopt;
  std::optional<std::int64_t> least;
  auto const consider = [&](std::int64_t bytes) { least = std::min(bytes, least.value_or(bytes)); };
  auto const cuts = ranked_cuts(*whole, kLongestCpuPanel, kAnyWorkspace, workspace_cost);
  if (!cuts.empty()) consider(cuts.front().cut.workspace_bytes);
  auto const groups = groups_of(*whole);
  if (auto const chunks = plan_cpu_skinny(groups, whole->element_size, 0, kAnyWorkspace)) consider(chunks->way.workspace_bytes);
  return least;
}

}  // namespace cornerturn
