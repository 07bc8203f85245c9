#include "plan/inplace.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "kernel/round.hpp"
#include "plan/choose.hpp"
#include "plan/cpu_sizes.hpp"
#include "problem/canonical.hpp"
#include "problem/validate.hpp"

namespace cornerturn {
namespace {

/// Bytes of a panel that a thread of the CPU changes. It stays in its level 2 cache, or in its share of the level 3 cache.
constexpr std::int64_t kCpuPanel = 1 << 20;

/// The share of a copy's speed that a pass reaches with runs of `bytes` bytes, if it reaches half of `most` with `half` bytes.
double share_of(double most, double bytes, double half) { return most * bytes / (bytes + half); }

/// Saved elements are read and written twice, the second time in short runs. The time of one, in copies of an element.
constexpr double kSavedCost = 4;

/// The time of both passes over a rectangle, and of its saved parts, in units of the time of a copy. The shares are rough
/// (docs/inplace.md).
double cpu_cost(panels const& whole, rectangle_cut const& cut, bool swaps_first) {
  auto const unit = double(whole.run * whole.element_size);
  auto const rows = double(cut.rows) * unit, columns = double(cut.columns) * unit;
  double const transpose = 1 / (share_of(0.75, rows, 16) * share_of(1, columns, 16));
  double const swap = cut.parts == 1 ? 0 : 1 / share_of(1, swaps_first ? columns : rows, 18);
  return transpose + swap + kSavedCost * double(cut.workspace_bytes) / double(whole.bytes());
}

/// The same on a GPU with panels of at most `most_bytes` bytes. It ranks cuts; the first ones are planned, which gives a better
/// estimate.
double gpu_cost(panels const& whole, rectangle_cut const& cut, bool swaps_first, std::int64_t most_bytes) {
  auto const size = double(whole.element_size);
  auto const are_vectors = [&](auto... elements) { return ((elements * whole.element_size % 16 == 0) && ...); };
  bool const is_aligned = are_vectors(whole.source_pitch, whole.destination_pitch, cut.rows * whole.run, cut.columns * whole.run);
  // a quarter of the shared memory is that of 8 blocks, two an SM
  auto const filled = double(cut.panel_bytes(whole)) / double(most_bytes);
  double const panels = (filled < 0.24   ? 0.93
                         : filled < 0.48 ? 0.87
                                         : 0.79) *
                        (is_aligned ? 1 : std::min(0.8, 0.1 + 0.13 * size));
  auto const run = double((swaps_first ? cut.columns : cut.rows) * whole.run) * size;
  double const aligned_runs = run == 16                              ? 0.93
                              : run == 64 || std::fmod(run, 32) != 0 ? 0.7
                                                                     : 0.87,
               runs = is_aligned ? aligned_runs : share_of(std::min(0.8, 0.3 + 0.1 * size), run, 8);
  double const swap = cut.parts == 1 ? 0 : 1 / runs;
  return 1 / panels + swap + kSavedCost * double(cut.workspace_bytes) / double(whole.bytes());
}

/// A cut and an order of the passes.
struct ranked_cut {
  rectangle_cut cut;
  bool swaps_first;
  double cost;
};

/// The cuts with small enough panels and workspace in both orders, that of least cost(whole, cut, swaps_first) first.
template <class Cost>
std::vector<ranked_cut> ranked_cuts(panels const& whole, std::int64_t most_bytes, std::int64_t most_workspace, Cost const& cost) {
  std::vector<ranked_cut> result;
  for (auto const& cut : cuts_of(whole, most_bytes, most_workspace))
    for (bool const swaps_first : {false, true}) result.push_back({cut, swaps_first, cost(whole, cut, swaps_first)});
  std::ranges::stable_sort(result, {}, &ranked_cut::cost);
  return result;
}

double least_workspace_first(panels const&, rectangle_cut const& cut, bool) { return double(cut.workspace_bytes); }

/// The steps of both passes, and before and after them those of the saved parts. make_copy(problem, alignment) returns the step
/// of a copy.
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

/// Rectangles whose elements are as large as the alignment allows.
std::optional<panels> rectangles_of(problem const& canonical, alignment const& aligned) {
  auto whole = panels_of(refit_elements(canonical, aligned));
  return whole && whole->slots == 1 ? whole : std::nullopt;
}

}  // namespace

std::int64_t most_panel_bytes(gpu_model const& gpu) {
  return std::int64_t(gpu.limits.shared_bytes_per_sm - gpu.limits.reserved_shared_bytes) * gpu.limits.cluster_blocks;
}

std::int64_t usual_workspace(std::int64_t bytes) { return std::max<std::int64_t>(bytes / 50, 8 << 20); }

std::optional<candidate> gpu_rectangle(panels const& whole, rectangle_cut const& cut, bool swaps_first, alignment const& aligned,
                                       gpu_model const& gpu) {
  auto const passes = passes_of(whole, cut, swaps_first);
  auto const panel = plan_panels(passes.panel, aligned.destination, gpu);
  if (!panel) return std::nullopt;
  candidate result{.steps = {},
                   .workspace_bytes = passes.workspace_bytes,
                   .seconds = expected_seconds(*panel, gpu),
                   .is_scaled = gpu.is_scaled};
  auto const first = [&](std::vector<candidate> ways) {
    result.seconds += ways.front().seconds;
    return std::move(ways.front().steps.front());
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

std::vector<candidate> inplace_candidates_of(problem const& canonical, alignment const& aligned, gpu_model const& gpu,
                                             std::int64_t most_workspace) {
  constexpr std::size_t kMostPlanned = 4;
  auto result = one_step_inplace(canonical, aligned, gpu);
  auto const whole = rectangles_of(canonical, aligned);
  if (!whole) return result;
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

std::vector<candidate> cpu_inplace_candidates_of(problem const& canonical, int threads, std::int64_t most_workspace) {
  refuse_beyond(canonical, kCpuAddressBits, "a CPU");
  if (auto const all = squares_of(canonical)) return {{.steps = {inplace_step(plan_cpu_swap(*all, threads))}}};
  auto const whole = panels_of(canonical);
  if (!whole) return {};
  if (whole->bytes_of_panel() <= kCpuPanel) return {{.steps = {inplace_step(plan_cpu_panels(*whole, threads))}}};
  if (whole->slots > 1) return {};
  for (auto const most_bytes : {kCpuPanel, kLongestCpuPanel})
    if (auto const cuts = ranked_cuts(*whole, most_bytes, most_workspace, cpu_cost); !cuts.empty())
      return {cpu_rectangle(*whole, cuts.front().cut, cuts.front().swaps_first, threads)};
  return {};
}

std::optional<std::int64_t> least_gpu_workspace(problem const& canonical, alignment const& aligned, gpu_model const& gpu) {
  auto const whole = rectangles_of(canonical, aligned);
  if (!whole) return std::nullopt;
  for (auto const& each : ranked_cuts(*whole, most_panel_bytes(gpu), kAnyWorkspace, least_workspace_first))
    if (auto const planned = gpu_rectangle(*whole, each.cut, each.swaps_first, aligned, gpu)) return planned->workspace_bytes;
  return std::nullopt;
}

std::optional<std::int64_t> least_cpu_workspace(problem const& canonical) {
  auto const whole = panels_of(canonical);
  if (!whole || whole->slots > 1) return std::nullopt;
  auto const cuts = ranked_cuts(*whole, kLongestCpuPanel, kAnyWorkspace, least_workspace_first);
  return cuts.empty() ? std::nullopt : std::optional(cuts.front().cut.workspace_bytes);
}

}  // namespace cornerturn
