#include "plan/cpu_candidates.hpp"

#include <algorithm>

namespace cornerturn {
namespace {

/// Other tiles worth a look: for other caches, for longer or shorter runs, and the other way round.
constexpr cpu_wish kWishes[] = {{.tile = 128 << 10},
                                {.tile = 512 << 10},
                                {.columns = 1024},
                                {.columns = 4096},
                                {.along_source = true}};

/// Results of fewer bytes stay in the caches of most processors, and of more in those of few.
constexpr std::int64_t kSurelyCached = 2 << 20, kHardlyCached = 32 << 20;

}  // namespace

std::vector<candidate> cpu_candidates_of(problem const& canonical) {
  auto const first = plan_cpu(canonical);
  std::vector<candidate> result{{first}};
  if (first.tiles() == 1) return result;
  auto const add = [&](cpu_plan const& plan) {
    auto const same = [&](candidate const& each) { return describe(std::get<cpu_plan>(each.kernel)) == describe(plan); };
    if (std::ranges::none_of(result, same)) result.push_back({plan});
  };
  for (auto const& wish : kWishes) add(plan_cpu(canonical, wish));
  if (first.bytes > kSurelyCached && first.bytes < kHardlyCached) {
    auto other = first;
    other.streams = !first.streams;
    add(other);
  }
  return result;
}

}  // namespace cornerturn
