#include "plan/cpu_candidates.hpp"

#include <algorithm>
#include <utility>

namespace cornerturn {
namespace {

/// Other hints that are worth timing: for other caches, for longer or shorter runs, and for the other order of tiles.
std::vector<cpu_tile_hint> others_than(cpu_tile_hint const& usual) {
  std::vector<cpu_tile_hint> result(6, usual);
  result[0].direct = !usual.direct;
  result[1].tile /= 2, result[1].run /= 2;
  result[2].tile *= 2, result[2].run *= 2;
  result[3].columns /= 2, result[4].columns *= 2;
  result[5].along_source = true;
  return result;
}

/// Bytes of a result that stays in the caches of most processors, and of one that stays in the caches of few.
constexpr std::int64_t kSurelyCached = 2 << 20, kHardlyCached = 32 << 20;

}  // namespace

candidate cpu_candidate_of(problem const& canonical, cpu_tile_hint const& usual) {
  if (!canonical.operation) return single_step(plan_cpu(canonical, usual));
  auto direct = plan_cpu_changing(canonical, usual);
  return direct ? single_step(*std::move(direct)) : single_step(plan_cpu_convert(canonical, usual));
}

std::vector<candidate> cpu_candidates_of(problem const& canonical, cpu_tile_hint const& usual) {
  if (canonical.operation) return {cpu_candidate_of(canonical, usual)};
  auto const first = plan_cpu(canonical, usual);
  std::vector<candidate> result{single_step(first)};
  if (first.tiles() == 1) return result;
  auto const add = [&](cpu_plan const& plan) {
    auto const same = [&](candidate const& each) { return describe(each) == describe(plan); };
    if (std::ranges::none_of(result, same)) result.push_back(single_step(plan));
  };
  for (auto const& hint : others_than(usual)) add(plan_cpu(canonical, hint));
  if (first.bytes > kSurelyCached && first.bytes < kHardlyCached) {
    auto other = usual;
    other.cached = first.store.streams ? kHardlyCached : 0;
    add(plan_cpu(canonical, other));
  }
  return result;
}

}  // namespace cornerturn
