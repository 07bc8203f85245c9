#include "plan/gpu_skinny.hpp"

#include <algorithm>

#include "kernel/boxes/plan.hpp"
#include "kernel/gather/plan.hpp"
#include "kernel/panels/plan.hpp"
#include "kernel/round.hpp"
#include "plan/divisors.hpp"
#include "plan/exchanges.hpp"
#include "plan/one_exchange.hpp"

namespace cornerturn {
namespace {

/// An exchange as panels of one array, with elements as large as the alignment allows. Empty if its sides are equal.
std::optional<panels> stated(exchange const& each, panels const& whole, alignment const& aligned) {
  return panels_of(refit_elements(problem_of(each, whole.element_size), aligned));
}

/// Both passes for `chunks` chunks of the longer side. Empty if a panel or a box does not fit.
std::optional<candidate> in_chunks(panels const& whole, std::int64_t chunks, alignment const& aligned, gpu_model const& gpu) {
  bool const is_tall = whole.rows > whole.columns;
  auto const batch = whole.batch.count, shorter = std::min(whole.rows, whole.columns),
             length = std::max(whole.rows, whole.columns) / chunks;
  auto const oriented = [&](std::int64_t count, std::int64_t along_longer, std::int64_t run) {
    return exchange{
        .batch = count, .rows = is_tall ? along_longer : shorter, .columns = is_tall ? shorter : along_longer, .run = run};
  };
  auto const within = stated(oriented(batch * chunks, length, whole.run), whole, aligned),
             among = stated(oriented(batch, chunks, length * whole.run), whole, aligned);
  if (!within || !among) return std::nullopt;
  auto const panel = plan_panels(*within, aligned.destination, gpu);
  auto const boxes = plan_boxes(*among, gpu);
  if (!panel || !boxes) return std::nullopt;
  candidate result{.steps = {inplace_step(*panel), inplace_step(*boxes)},
                   .seconds = expected_seconds(*panel, gpu) + expected_seconds(*boxes, gpu),
                   .is_scaled = gpu.is_scaled};
  if (!is_tall) std::ranges::reverse(result.steps);
  return result;
}

}  // namespace

std::optional<candidate> gpu_skinny(panels const& whole, alignment const& aligned, gpu_model const& gpu) {
  auto const longer = std::max(whole.rows, whole.columns), shorter = std::min(whole.rows, whole.columns),
             most_bytes = most_panel_bytes(gpu);
  auto const least = std::max<std::int64_t>(2, ceil_div(whole.bytes_of_panel(), most_bytes)),
             most = most_bytes / kLeastBoxPart / shorter;
  std::optional<candidate> best;
  if (most < least) return best;
  for (auto const chunks : divisors_of(longer, most)) {
    if (chunks < least) continue;
    auto way = in_chunks(whole, chunks, aligned, gpu);
    if (way && (!best || way->seconds < best->seconds)) best = std::move(way);
  }
  return best;
}

}  // namespace cornerturn
