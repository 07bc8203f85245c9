#include "plan/cpu_candidates.hpp"

#include <algorithm>
#include <utility>

#include "problem/canonical.hpp"

namespace cornerturn {
namespace {

/// More hints that are worth timing: for other caches, for longer or shorter runs, and for the other order of tiles.
std::vector<cpu_tile_hint> others_than(cpu_tile_hint const& usual) {
  std::vector<cpu_tile_hint> result(6, usual);
  result[0].direct = !usual.direct;
  result[1].tile = std::max<std::int64_t>(1, usual.tile / 2), result[1].run /= 2;
  result[2].tile *= 2, result[2].run *= 2;
  result[3].columns = std::max<std::int64_t>(1, usual.columns / 2), result[4].columns *= 2;
  result[5].along_source = true;
  return result;
}

}  // namespace

candidate cpu_candidate_of(problem const& canonical, cpu_tile_hint const& usual) {
  if (!canonical.operation) return single_step(plan_cpu(canonical, usual));
  auto direct = plan_cpu_changing(canonical, usual);
  return direct ? single_step(*std::move(direct)) : single_step(plan_cpu_convert(canonical, usual));
}

std::vector<candidate> cpu_candidates_of(problem const& canonical, cpu_tile_hint const& usual) {
  std::vector<candidate> result{cpu_candidate_of(canonical, usual)};
  auto const* const copied = std::get_if<cpu_plan>(&only_step(result.front()).kernel);
  if (copied && copied->tasks() == 1) return result;
  auto hints = others_than(usual);
  if (auto const bytes = bytes_of(canonical); bytes > usual.limits.surely_cached && bytes < usual.limits.hardly_cached) {
    bool const streams = copied ? copied->store.streams : std::get<cpu_convert>(only_step(result.front()).kernel).streams;
    hints.push_back(usual);
    hints.back().streamed_above = streams ? usual.limits.hardly_cached : 0;
  }
  for (auto const& hint : hints) {
    auto const other = cpu_candidate_of(canonical, hint);
    auto const same = [id = id_of(other)](candidate const& each) { return id_of(each) == id; };
    if (std::ranges::none_of(result, same)) result.push_back(other);
  }
  return result;
}

cpu_work cpu_work_of(candidate const& each) {
  return with_plan_of<cpu_copying_families>(only_step(each), [](auto const& plan) { return work_of(plan); });
}

cpu_work cpu_work_of_copy(std::int64_t bytes, cpu_tile_hint const& usual) {
  return work_of(plan_cpu(canonical({.modes = {{bytes, 1, 1}}, .element_size = 1}), usual));
}

}  // namespace cornerturn
