#include "plan/batch.hpp"

#include <algorithm>
#include <utility>
#include <variant>
#include <vector>

#include "plan/choose.hpp"
#include "problem/int_limit.hpp"

namespace cornerturn {
namespace {

/// The arrays of one launch.
std::size_t most_in_launch(step const& one) {
  return std::visit(
      [](auto const& plan) -> std::size_t {
        if constexpr (requires { plan.takes_list(); })
          if (plan.takes_list()) return std::size_t(std::clamp<std::int64_t>(kIntMax / plan.blocks, 1, source_list::kMost));
        return 1;
      },
      one.kernel);
}

/// The step for a list of arrays. Offsets count bytes from its source.
step with_offsets(step const& one, std::vector<std::int64_t> offsets, std::int64_t stride) {
  auto result = one;
  std::visit(
      [&](auto& plan) {
        if constexpr (requires { plan.takes_list(); }) plan = with_sources(std::move(plan), std::move(offsets), stride);
      },
      result.kernel);
  return result;
}

/// The expected time of the launches for `arrays` arrays.
double seconds_of_batch(candidate const& one, std::size_t arrays, gpu_model const& gpu) {
  auto const listed = std::min(most_in_launch(only_step(one)), arrays);
  auto const seconds = listed == 1 ? one.seconds
                                   : with_kernel(with_offsets(only_step(one), std::vector<std::int64_t>(listed), 0),
                                                 [&](auto const& plan) { return expected_seconds(plan, gpu); });
  return seconds * double(arrays) / double(listed);
}

}  // namespace

candidate fastest_in_batch(problem const& canonical, alignment const& aligned, gpu_model const& gpu, std::size_t arrays) {
  auto all = candidates_of(canonical, aligned, gpu);
  for (auto& each : all) each.seconds = seconds_of_batch(each, arrays, gpu);
  return std::move(*std::ranges::min_element(all, {}, &candidate::seconds));
}

void for_each_launch(step const& one, array_batch const& batch,
                     std::function<void(step const&, void const*, void*)> const& launch) {
  auto const most = most_in_launch(one);
  for (std::size_t first = 0; first < batch.sources.size(); first += most) {
    auto const listed = batch.sources.subspan(first, std::min(most, batch.sources.size() - first));
    auto const* const source = listed.front();
    if (listed.size() == 1) {
      launch(one, source, batch.part(first));
      continue;
    }
    std::vector<std::int64_t> offsets;
    for (auto const* const each : listed)
      offsets.push_back(std::int64_t(reinterpret_cast<std::uintptr_t>(each) - reinterpret_cast<std::uintptr_t>(source)));
    launch(with_offsets(one, std::move(offsets), batch.stride), source, batch.part(first));
  }
}

}  // namespace cornerturn
