#include "plan/cpu_candidates.hpp"

#include <algorithm>

namespace cornerturn {
namespace {

/// Other tiles worth a look: for other caches, for longer or shorter runs, and the other way round.
std::vector<cpu_wish> others_than(cpu_wish const& usual) {
  std::vector<cpu_wish> result(6, usual);
  result[0].direct = !usual.direct;
  result[1].tile /= 2, result[1].run /= 2;
  result[2].tile *= 2, result[2].run *= 2;
  result[3].columns /= 2, result[4].columns *= 2;
  result[5].along_source = true;
  return result;
}

/// Results of fewer bytes stay in the caches of most processors, and of more in those of few.
constexpr std::int64_t kSurelyCached = 2 << 20, kHardlyCached = 32 << 20;

}  // namespace

std::vector<candidate> cpu_candidates_of(problem const& canonical, cpu_wish const& usual) {
  auto const first = plan_cpu(canonical, usual);
  std::vector<candidate> result{{first}};
  if (first.tiles() == 1) return result;
  auto const add = [&](cpu_plan const& plan) {
    auto const same = [&](candidate const& each) { return describe(std::get<cpu_plan>(each.kernel)) == describe(plan); };
    if (std::ranges::none_of(result, same)) result.push_back({plan});
  };
  for (auto const& wish : others_than(usual)) add(plan_cpu(canonical, wish));
  if (first.bytes > kSurelyCached && first.bytes < kHardlyCached) {
    auto other = usual;
    other.cached = first.store.streams ? kHardlyCached : 0;
    add(plan_cpu(canonical, other));
  }
  return result;
}

}  // namespace cornerturn
