#include "inplace/gpu_exchanging.hpp"

#include <numeric>
#include <optional>

#include "base/divisors.hpp"
#include "inplace/rectangle.hpp"

namespace cornerturn {
namespace {

constexpr std::int64_t kShortestRun = 64;  ///< bytes of a slot's row that is exchanged; with shorter ones two launches are faster

}  // namespace

std::optional<gpu_passes> plan_exchanging(panels const& whole, rectangle_cut const& cut, slot_exchange exchange,
                                          alignment const& aligned, gpu_model const& gpu) {
  auto passes = passes_of(whole, cut, exchange == slot_exchange::before);
  auto const panel = plan_panels_exchange(passes.panel, exchange, aligned.destination, gpu);
  if (!panel) return std::nullopt;
  passes.flags_bytes = passes.workspace_bytes = flags_bytes_for(panel->blocks);
  return gpu_passes{std::move(passes), *panel, {}, expected_seconds(*panel, gpu)};
}

std::vector<gpu_passes> gpu_exchanging(panels const& whole, alignment const& aligned, gpu_model const& gpu,
                                       std::int64_t most_workspace) {
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

}  // namespace cornerturn
