#include "inplace/plan.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <utility>

#include "base/planning_work.hpp"
#include "cpu/sizes.hpp"
#include "inplace/cpu.hpp"
#include "inplace/gpu.hpp"
#include "inplace/sequences.hpp"
#include "plan/choose.hpp"
#include "problem/canonical.hpp"
#include "problem/validate.hpp"

namespace cornerturn {
namespace {

/// True if an exchange takes one pass, because its groups are equal or are one panel.
bool takes_one_memory_pass(exchange const& each, std::int64_t element_size, std::int64_t panel_bytes) {
  return each.is_square() || each.runs() * each.run * element_size <= panel_bytes;
}

/// Plans a problem as a sequence of exchanges. bound(exchange) returns the least number of passes. price(exchange) returns the
/// cost of an exchange of dense arrays and a function that plans it, if the exchange is possible.
template <class Bound, class Price>
std::optional<candidate> plan_sequence(problem const& canonical, Bound const& bound, Price const& price) {
  auto const size = shared_element_size(canonical);
  std::map<exchange, std::function<candidate()>> ways;
  auto const sequence = any_exchanges_of(canonical, bound, [&](exchange const& each) {
    ++work_of_planning.exchanges;
    auto priced = price(placed_exchange(each, size));
    if (!priced) return kImpossible;
    ways[each] = std::move(priced->way);
    return priced->cost;
  });
  if (!sequence) return std::nullopt;
  candidate result;
  for (auto const& each : *sequence) {
    auto way = ways[each]();
    std::ranges::move(way.steps, std::back_inserter(result.steps));
    result.workspace_bytes = std::max(result.workspace_bytes, way.workspace_bytes);
    result.seconds += way.seconds;
    result.is_scaled |= way.is_scaled;
  }
  return result;
}

/// The least limit in bytes with which plan(limit) returns a plan; nothing if there is no plan without a limit. A sequence of
/// exchanges may need less than one exchange does, so only planning shows whether a limit is too low. The search ends at a limit
/// that is enough while one byte less is too little. Between plans it halves the remaining range, because many plans may each
/// need only a little less than the one before. If plans of many modes take long, the search ends earlier, with a limit that is
/// enough.
template <class Plan>
std::optional<std::int64_t> least_workspace(Plan const& plan) {
  constexpr std::int64_t kMostEdges = 10'000'000;
  auto const begun = work_of_planning.edges;
  std::int64_t too_low = -1, enough = kAnyWorkspace;
  // Plans with a limit, then with the workspace of that plan, and so on. A long search may find no plan with it.
  auto const narrow = [&](std::int64_t limit) {
    for (std::optional<candidate> found; limit > too_low; limit = found->workspace_bytes) {
      found = plan(limit);
      (found ? enough : too_low) = limit;
      if (!found || found->workspace_bytes == limit) return;
    }
  };
  narrow(kAnyWorkspace);
  if (too_low == kAnyWorkspace) return std::nullopt;
  while (too_low + 1 < enough && work_of_planning.edges - begun < kMostEdges) {
    narrow(enough - 1);
    if (too_low + 1 < enough) narrow(too_low + (enough - too_low) / 2);
  }
  return enough;
}

/// The plan of a GPU for a problem that needs several exchanges.
std::optional<candidate> gpu_sequence(problem const& canonical, alignment const& aligned, gpu_model const& gpu,
                                      std::int64_t most_workspace) {
  auto const longest = most_panel_bytes(gpu);
  auto const pass = copy_seconds(bytes_of(canonical), gpu);
  auto const size = shared_element_size(canonical);
  auto const bound = [=](exchange const& each) {
    bool const has_boxes = each.run * size >= kLeastBoxPart && each.runs() * kLeastBoxPart <= longest;
    if (has_boxes || takes_one_memory_pass(each, size, longest)) return 1.0;
    return each.between == 1 ? 2.0 : kImpossible;
  };
  struct priced {
    std::function<candidate()> way;
    double cost;
  };
  return plan_sequence(canonical, bound, [&](placed_exchange const& each) -> std::optional<priced> {
    auto const found = fastest_gpu_exchange(cornerturn::canonical(problem_of(each)), aligned, gpu, most_workspace);
    if (!found) return std::nullopt;
    return priced{[way = *found] { return way; }, std::max(1.0, found->seconds / pass)};
  });
}

}  // namespace

std::int64_t usual_workspace(std::int64_t bytes) { return std::max<std::int64_t>(bytes / 50, 8 << 20); }

std::vector<candidate> inplace_candidates_of(problem const& canonical, alignment const& aligned, gpu_model const& gpu,
                                             std::int64_t most_workspace) {
  auto result = gpu_exchange_candidates(canonical, aligned, gpu, most_workspace);
  if (!result.empty()) return result;
  if (auto whole = gpu_sequence(canonical, aligned, gpu, most_workspace)) result.push_back(std::move(*whole));
  return result;
}

std::optional<candidate> inplace_candidate_of(problem const& canonical, alignment const& aligned, gpu_model const& gpu,
                                              std::int64_t most_workspace) {
  if (auto direct = fastest_gpu_exchange(canonical, aligned, gpu, most_workspace)) return direct;
  return gpu_sequence(canonical, aligned, gpu, most_workspace);
}

std::optional<candidate> cpu_inplace_candidate_of(problem const& canonical, cpu_limits const& limits,
                                                  std::int64_t most_workspace) {
  refuse_beyond(canonical, kCpuAddressBits, "a CPU");
  auto const price = [&](placed_exchange const& each) { return cheapest_cpu_exchange(each, limits, most_workspace); };
  if (auto const whole = exchange_of(canonical))
    if (auto const direct = price(*whole)) return direct->way();
  auto const size = shared_element_size(canonical);
  auto const bound = [=](exchange const& each) {
    if (takes_one_memory_pass(each, size, limits.longest_panel) || each.runs() * kCacheLine <= limits.longest_panel) return 1.0;
    return each.between == 1 ? 2.0 : kImpossible;
  };
  return plan_sequence(canonical, bound, price);
}

std::optional<std::int64_t> least_gpu_workspace(problem const& canonical, alignment const& aligned, gpu_model const& gpu) {
  return least_workspace([&](std::int64_t most) { return inplace_candidate_of(canonical, aligned, gpu, most); });
}

std::optional<std::int64_t> least_cpu_workspace(problem const& canonical, cpu_limits const& limits) {
  return least_workspace([&](std::int64_t most) { return cpu_inplace_candidate_of(canonical, limits, most); });
}

}  // namespace cornerturn
