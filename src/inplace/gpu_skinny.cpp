#include "inplace/gpu_skinny.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/divisors.hpp"
#include "base/round.hpp"
#include "block/sizes.hpp"
#include "inplace/exchanges.hpp"
#include "inplace/one_exchange.hpp"
#include "kernel/boxes/plan.hpp"
#include "kernel/gather/plan.hpp"
#include "kernel/panels/plan.hpp"
#include "plan/chunking.hpp"

namespace cornerturn {
namespace {

/// An exchange as panels of one array, with elements as large as the alignment allows. Empty if its sides are equal.
std::optional<panels> stated(exchange const& each, panels const& whole, alignment const& aligned) {
  return panels_of(refit_elements(problem_of(each, whole.element_size), aligned));
}

/// By how much chunks that leave some indices take longer than estimated, beside chunks that leave none: where they should be up
/// to 6 % faster on an H200, most were slower.
constexpr double kRestFactor = 1.06;

/// Both passes with given chunks. If indices remain, the number of chunks is a multiple of the shorter side. Empty if a panel or
/// a box does not fit.
std::optional<gpu_passes> in_chunks(panels const& whole, chunking const& chunks, alignment const& given, gpu_model const& gpu) {
  bool const is_tall = whole.rows > whole.columns;
  auto const batch = whole.batch.count, shorter = std::min(whole.rows, whole.columns),
             gap_bytes = chunks.left * whole.run * whole.element_size;
  alignment const aligned{int(std::gcd(given.source, gap_bytes)), int(std::gcd(given.destination, gap_bytes))};
  auto const oriented = [&](std::int64_t count, std::int64_t along_longer, std::int64_t run) {
    return exchange{
        .batch = count, .rows = is_tall ? along_longer : shorter, .columns = is_tall ? shorter : along_longer, .run = run};
  };
  auto within = stated(oriented(batch * chunks.count, chunks.length, whole.run), whole, aligned),
       among = stated(oriented(batch, chunks.count, chunks.length * whole.run), whole, aligned);
  if (!within || !among) return std::nullopt;
  if (chunks.left > 0) {
    auto const stride_bytes = whole.batch.stride * whole.element_size;
    within->count = chunks.count, within->group = chunks.count / shorter;
    within->batch = {batch, stride_bytes / within->element_size};
    (is_tall ? within->destination_gap : within->source_gap) = gap_bytes / within->element_size;
    among->batch = {batch, stride_bytes / among->element_size};
    (is_tall ? among->destination_pitch : among->source_pitch) += gap_bytes / among->element_size;
  }
  auto const panel = plan_panels(*within, aligned.destination, gpu);
  auto const boxes = plan_boxes(*among, gpu);
  if (!panel || !boxes) return std::nullopt;
  gpu_passes result{rectangle_passes(*within, !is_tall), *panel, inplace_step(*boxes),
                    (expected_seconds(*panel, gpu) + expected_seconds(*boxes, gpu)) * (chunks.left > 0 ? kRestFactor : 1)};
  auto const kept = chunks.count * chunks.length;
  if (is_tall)
    result.passes.save_rows(whole, kept);
  else
    result.passes.save_columns(whole, whole.rows, kept);
  return result;
}

/// The ways to chunk the longer side that are tried.
struct chunkings {
  std::vector<chunking> whole, with_rest;  ///< those that leave nothing, and those that leave some indices
};

/// All divisors of the longer side, and some multiples of the shorter side.
chunkings chunkings_of(panels const& all, gpu_model const& gpu) {
  auto const longer = std::max(all.rows, all.columns), shorter = std::min(all.rows, all.columns),
             most_bytes = most_panel_bytes(gpu), least = std::max<std::int64_t>(2, ceil_div(all.bytes_of_panel(), most_bytes)),
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

}  // namespace

std::vector<gpu_passes> gpu_skinny(panels const& whole, alignment const& aligned, gpu_model const& gpu,
                                   std::int64_t most_workspace) {
  auto const ways = chunkings_of(whole, gpu);
  std::vector<gpu_passes> result;
  auto const add_fastest = [&](std::vector<chunking> const& all) {
    std::optional<gpu_passes> best;
    for (auto const& each : all) {
      auto way = in_chunks(whole, each, aligned, gpu);
      if (way && way->passes.workspace_bytes <= most_workspace && (!best || way->seconds < best->seconds)) best = std::move(way);
    }
    if (best && (result.empty() || best->seconds < result.front().seconds)) result.push_back(*std::move(best));
  };
  add_fastest(ways.whole);
  add_fastest(ways.with_rest);
  return result;
}

}  // namespace cornerturn
