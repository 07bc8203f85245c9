#include "plan/inplace.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <utility>

#include "plan/choose.hpp"
#include "plan/cpu_sizes.hpp"
#include "plan/exchanges.hpp"
#include "problem/validate.hpp"

namespace cornerturn {
namespace {

/// Panels' sizes in bytes: those that a place moves in one pass, and the longest.
struct panel_limits {
  std::int64_t one_pass, longest;
};

/// The least number of times that an exchange reads and writes the array; infinity if no panel is large enough.
double least_passes(exchange const& each, std::int64_t element_size, panel_limits const& limits) {
  auto const run = each.run * element_size;
  if (each.rows == each.columns || each.rows * each.between * each.columns * run <= limits.one_pass) return 1;
  bool const is_possible = each.between == 1 && std::max(each.rows, each.columns) * run <= limits.longest;
  return is_possible ? 2 : std::numeric_limits<double>::infinity();
}

/// Plans a problem as a sequence of exchanges. plan(problem) returns the way and the cost of one of them, if there is one.
template <class Plan>
std::optional<candidate> plan_sequence(problem const& canonical, panel_limits const& limits, Plan const& plan) {
  auto const size = shared_element_size(canonical);
  std::map<exchange, candidate> ways;
  auto const sequence = exchanges_of(
      canonical, [&](exchange const& each) { return least_passes(each, size, limits); },
      [&](exchange const& each) {
        auto planned = plan(problem_of(each, size));
        if (!planned) return std::numeric_limits<double>::infinity();
        ways[each] = std::move(planned->way);
        return planned->cost;
      });
  if (!sequence) return std::nullopt;
  candidate result;
  for (auto const& each : *sequence) {
    auto const& way = ways[each];
    std::ranges::copy(way.steps, std::back_inserter(result.steps));
    result.workspace_bytes = std::max(result.workspace_bytes, way.workspace_bytes);
    result.seconds += way.seconds;
    result.is_scaled |= way.is_scaled;
  }
  return result;
}

/// The least workspace of the plans that plan(limit in bytes) returns, by bisection. Empty if there is no plan without a limit.
template <class Plan>
std::optional<std::int64_t> least_workspace(Plan const& plan) {
  std::vector<candidate> found = plan(kAnyWorkspace);
  if (found.empty()) return std::nullopt;
  std::int64_t too_little = -1, enough = found.front().workspace_bytes;
  while (too_little + 1 < enough) {
    auto const limit = too_little + (enough - too_little) / 2;
    found = plan(limit);
    if (found.empty())
      too_little = limit;
    else
      enough = found.front().workspace_bytes;
  }
  return enough;
}

}  // namespace

std::int64_t usual_workspace(std::int64_t bytes) { return std::max<std::int64_t>(bytes / 50, 8 << 20); }

std::vector<candidate> inplace_candidates_of(problem const& canonical, alignment const& aligned, gpu_model const& gpu,
                                             std::int64_t most_workspace) {
  struct priced {
    candidate way;
    double cost;
  };
  if (auto direct = gpu_exchange_candidates(canonical, aligned, gpu, most_workspace); !direct.empty()) return direct;
  auto const longest = most_panel_bytes(gpu);
  auto const pass = copy_seconds(bytes_of(canonical), gpu);
  auto whole = plan_sequence(canonical, {longest, longest}, [&](problem const& each) -> std::optional<priced> {
    auto found = gpu_exchange_candidates(each, aligned, gpu, most_workspace);
    if (found.empty()) return std::nullopt;
    auto const cost = std::max(1.0, found.front().seconds / pass);
    return priced{std::move(found.front()), cost};
  });
  if (!whole) return {};
  return {std::move(*whole)};
}

std::vector<candidate> cpu_inplace_candidates_of(problem const& canonical, int threads, std::int64_t most_workspace) {
  refuse_beyond(canonical, kCpuAddressBits, "a CPU");
  auto const plan = [&](problem const& each) { return plan_cpu_exchange(each, threads, most_workspace); };
  if (auto direct = plan(canonical)) return {std::move(direct->way)};
  auto whole = plan_sequence(canonical, {kCpuPanel, kLongestCpuPanel}, plan);
  if (!whole) return {};
  return {std::move(*whole)};
}

std::optional<std::int64_t> least_gpu_workspace(problem const& canonical, alignment const& aligned, gpu_model const& gpu) {
  if (auto const direct = least_gpu_rectangle_workspace(canonical, aligned, gpu)) return direct;
  return least_workspace([&](std::int64_t most) { return inplace_candidates_of(canonical, aligned, gpu, most); });
}

std::optional<std::int64_t> least_cpu_workspace(problem const& canonical) {
  if (auto const direct = least_cpu_rectangle_workspace(canonical)) return direct;
  return least_workspace([&](std::int64_t most) { return cpu_inplace_candidates_of(canonical, 0, most); });
}

}  // namespace cornerturn
