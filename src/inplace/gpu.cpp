#include "inplace/gpu.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <span>
#include <utility>

#include "base/divisors.hpp"
#include "base/round.hpp"
#include "block/sizes.hpp"
#include "kernel/boxes/plan.hpp"
#include "kernel/gather/plan.hpp"
#include "kernel/swap/plan.hpp"
#include "kernel/tiled/plan.hpp"
#include "machine/launch_work.hpp"
#include "plan/choose.hpp"
#include "problem/canonical.hpp"

namespace cornerturn {
namespace {

/// An exchange with elements as large as the alignment allows.
placed_exchange refitted(placed_exchange each, alignment const& aligned) {
  std::int64_t size = std::gcd(kUnitBytes, std::gcd(aligned.source, aligned.destination));
  for (auto const elements :
       {each.run, each.source.gap, each.destination.gap, each.offset, each.batch > 1 ? each.array_stride : 0})
    size = std::gcd(size, elements * each.element_size);
  for (auto* const elements : {&each.run, &each.source.gap, &each.destination.gap, &each.offset, &each.array_stride})
    *elements = *elements * each.element_size / size;
  each.element_size = size;
  return each;
}

/// The share of a copy's speed with which a GPU swaps slots that have runs of `bytes` bytes.
double gpu_slots_share(double bytes, std::int64_t element_size, bool is_aligned, swap_rates const& shares) {
  if (!is_aligned)
    return share_of_copy(
        std::min(shares.most_unaligned_slots, shares.unaligned_slots + shares.unaligned_slots_per_byte * double(element_size)),
        bytes, shares.half_unaligned_slots);
  return bytes == kUnitBytes ? shares.unit_slots : share_of_units(std::int64_t(bytes) / kUnitBytes, shares);
}

/// The cost of a cut on a GPU with panels of at most `most_bytes` bytes. It selects the cuts that are planned; the plans have
/// better estimates.
double gpu_cost(placed_exchange const& whole, rectangle_cut const& cut, bool swaps_first, std::int64_t most_bytes,
                gpu_model const& gpu) {
  auto const size = whole.element_size;
  auto const are_vectors = [&](auto... runs) { return ((runs * whole.run * size % 16 == 0) && ...); };
  bool const is_aligned = are_vectors(whole.columns, whole.rows, cut.rows, cut.columns);
  auto const filled = double(cut.panel_bytes(whole)) / double(most_bytes);
  double const share = panels_share(int(size), is_aligned, filled < gpu.panels.most_of_small ? 8 : 16,
                                    filled < gpu.panels.most_of_pair, gpu.panels);
  auto const run = double((swaps_first ? cut.columns : cut.rows) * whole.run * size);
  return passes_cost(whole, cut, share, gpu_slots_share(run, size, is_aligned, gpu.swap));
}

/// The ways of a GPU in one launch, by the largest number of parts whose exchanged rows are not too short.
std::vector<gpu_passes> gpu_exchanging(placed_exchange const& whole, alignment const& aligned, gpu_model const& gpu,
                                       std::int64_t most_workspace) {
  constexpr std::int64_t kShortestRun = 64;  // bytes of an exchanged slot's row; if rows are shorter, two launches are faster
  std::vector<gpu_passes> result;
  auto const side = std::gcd(whole.rows, whole.columns);
  for (auto const exchange : {slot_exchange::after, slot_exchange::before}) {
    std::optional<gpu_passes> best;
    for (auto const parts : divisors_of(side, side)) {
      auto const run = (exchange == slot_exchange::after ? whole.rows : whole.columns) / parts;
      if (run * whole.element_size < kShortestRun) break;
      auto way = plan_exchanging(whole, cut_into(whole, parts), exchange, aligned, gpu);
      if (way && way->passes.workspace_bytes <= most_workspace && (!best || way->seconds < best->seconds)) best = std::move(way);
    }
    if (best) result.push_back(*std::move(best));
  }
  return result;
}

/// Both passes with given chunks. Returns nothing if a panel or a box does not fit, or if a pass would swap squares or move
/// nothing.
std::optional<gpu_passes> plan_chunks(placed_exchange const& whole, chunking const& chunks, alignment const& aligned,
                                      gpu_model const& gpu) {
  if (chunks.length == 1 || chunks.length == whole.shorter() || chunks.count == whole.shorter()) return std::nullopt;
  auto passes = passes_of(whole, chunks);
  passes.panel = refitted(passes.panel, aligned), passes.runs = refitted(passes.runs, aligned);
  auto const panel = plan_panels(passes.panel, aligned.destination, gpu);
  auto const boxes = plan_boxes(passes.runs, gpu);
  if (!panel || !boxes) return std::nullopt;
  return gpu_passes{
      std::move(passes), *panel, inplace_step(*boxes),
      (expected_seconds(*panel, gpu) + expected_seconds(*boxes, gpu)) * (chunks.left > 0 ? gpu.boxes.remainder : 1)};
}

/// The ways to chunk the longer side that are tried.
struct chunkings {
  std::vector<chunking> whole, with_rest;  ///< chunks that leave no indices, and chunks that leave some
};

/// All divisors of the longer side, and some multiples of the shorter side.
chunkings chunkings_of(placed_exchange const& all, gpu_model const& gpu) {
  auto const longer = all.longer(), shorter = all.shorter(), most_bytes = most_panel_bytes(gpu),
             least = std::max<std::int64_t>(2, ceil_div(all.panel_bytes(), most_bytes)),
             most = std::min(longer, most_bytes / kLeastBoxPart / shorter);
  chunkings result;
  if (most < least) return result;
  for (auto const count : divisors_of(longer, most))
    if (count >= least) result.whole.push_back({longer / count, count, 0});
  // If rows begin with whole vectors, so do chunks. Otherwise parts of boxes need more room.
  constexpr std::int64_t kLeastUnalignedRoom = 100;  // bytes
  auto const vector = kUnitBytes / std::gcd<std::int64_t>(kUnitBytes, all.run * all.element_size),
             in_boxes = longer % vector == 0 ? most : std::min(most, most_bytes / kLeastUnalignedRoom / shorter),
             unit = longer % vector == 0 ? vector : 1, last = in_boxes / shorter;
  for (auto multiple = std::max<std::int64_t>(2, ceil_div(least, shorter)); multiple <= last;
       multiple = multiple < last ? std::min(2 * multiple, last) : last + 1) {
    auto const count = multiple * shorter, length = longer / count / unit * unit, left = longer - count * length;
    if (length > 0 && left > 0) result.with_rest.push_back({length, count, left});
  }
  return result;
}

/// True if the distance between tiles is a multiple of an array, so that only the batch is divided. `array` is in the digits'
/// unit.
template <class Job>
bool has_whole_arrays(Job const& job, std::int64_t array) {
  auto const digits =
      std::span(job.digits).subspan(std::size_t(job.tile_digits.begin), std::size_t(job.tile_digits.end - job.tile_digits.begin));
  return std::ranges::all_of(
      digits, [&](radix_digit const& each) { return each.source == each.destination && each.source % array == 0; });
}

bool moves_whole_arrays(tiled_plan const& plan, std::int64_t array) { return has_whole_arrays(plan.job, array); }

/// A tile with a halo also writes elements of its neighbours.
bool moves_whole_arrays(gather_plan const& plan, std::int64_t array) {
  return plan.job.store.halo == 0 && has_whole_arrays(plan.job, array * plan.element_size);
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
  auto const cost = [&](rectangle_cut const& cut, bool first) { return gpu_cost(*whole, cut, first, most_bytes, gpu); };
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

std::optional<placed_exchange> rectangles_of(problem const& canonical, alignment const& aligned) {
  auto const whole = exchange_of(canonical);
  if (!whole || whole->is_square() || whole->between > 1) return std::nullopt;
  return refitted(*whole, aligned);
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

std::optional<candidate> small_arrays_inplace(problem const& refitted, alignment const& aligned, gpu_model const& gpu) {
  constexpr std::int64_t kMostArrayBytes = 24 << 10;  // a larger array alone fills a block of `panels`
  std::optional<candidate> best;
  if (refitted.modes.size() < 3 || !stays(refitted.modes.front())) return best;
  auto const array = refitted.modes.front().destination_stride;
  if (array * shared_element_size(refitted) > kMostArrayBytes) return best;
  auto const consider = [&]<class Plan>(std::vector<Plan> all) {
    for (auto& each : all)
      if (double const seconds = expected_seconds(each, gpu);
          moves_whole_arrays(each, array) && (!best || seconds < best->seconds))
        best = candidate{.steps = {inplace_step(std::move(each))}, .seconds = seconds, .is_scaled = gpu.is_scaled};
  };
  consider(tiled_plan::candidates(refitted, aligned, gpu));
  consider(gather_plan::candidates(refitted, aligned, gpu));
  return best;
}

std::optional<candidate> with_copies(gpu_passes const& planned, alignment const& aligned, gpu_model const& gpu, double limit) {
  if (planned.seconds >= limit) return std::nullopt;
  auto const& passes = planned.passes;
  candidate result{
      .steps = {}, .workspace_bytes = passes.workspace_bytes, .seconds = planned.seconds, .is_scaled = gpu.is_scaled};
  auto copies = copies_of(passes, aligned, [&](problem const& p, alignment const& both) {
    auto copy = fastest_candidate(p, both, gpu);
    result.seconds += copy.seconds;
    return result.seconds < limit ? std::optional(only_step(copy)) : std::nullopt;
  });
  if (!copies) return std::nullopt;
  auto moved = inplace_step(planned.panel);
  if (passes.flags_bytes > 0) moved.source = {buffer_role::workspace};
  result.steps = steps_of(planned.runs, std::move(moved), passes.swaps_first, *std::move(copies));
  if (passes.flags_bytes > 0)
    result.steps.insert(result.steps.begin(), {clearing{passes.flags_bytes}, {buffer_role::workspace}, {buffer_role::workspace}});
  return result;
}

std::optional<gpu_passes> plan_passes(placed_exchange const& whole, rectangle_cut const& cut, bool swaps_first,
                                      alignment const& aligned, gpu_model const& gpu) {
  auto passes = passes_of(whole, cut, swaps_first);
  auto const panel = plan_panels(passes.panel, aligned.destination, gpu);
  if (!panel) return std::nullopt;
  gpu_passes result{std::move(passes), *panel, {}, expected_seconds(*panel, gpu)};
  if (cut.parts == 1) return result;
  auto const slots = plan_swap(refitted(result.passes.runs, aligned), aligned.destination);
  result.runs = inplace_step(slots);
  result.seconds += expected_seconds(slots, gpu);
  return result;
}

std::optional<gpu_passes> plan_exchanging(placed_exchange const& whole, rectangle_cut const& cut, slot_exchange exchange,
                                          alignment const& aligned, gpu_model const& gpu) {
  auto passes = passes_of(whole, cut, exchange == slot_exchange::before);
  auto const panel = plan_panels_exchange(passes.panel, exchange, aligned.destination, gpu);
  if (!panel) return std::nullopt;
  passes.flags_bytes = passes.workspace_bytes = flags_bytes_for(panel->blocks);
  return gpu_passes{std::move(passes), *panel, {}, expected_seconds(*panel, gpu)};
}

std::vector<gpu_passes> gpu_skinny(placed_exchange const& whole, alignment const& aligned, gpu_model const& gpu,
                                   std::int64_t most_workspace) {
  auto const ways = chunkings_of(whole, gpu);
  std::vector<gpu_passes> result;
  auto const add_fastest = [&](std::vector<chunking> const& all) {
    std::optional<gpu_passes> best;
    for (auto const& each : all) {
      auto way = plan_chunks(whole, each, aligned, gpu);
      if (way && way->passes.workspace_bytes <= most_workspace && (!best || way->seconds < best->seconds)) best = std::move(way);
    }
    if (best && (result.empty() || best->seconds < result.front().seconds)) result.push_back(*std::move(best));
  };
  add_fastest(ways.whole);
  add_fastest(ways.with_rest);
  return result;
}

}  // namespace cornerturn
