#include "plan/choose.hpp"

#include <algorithm>
#include <numeric>

#include "problem/canonical.hpp"
#include "problem/validate.hpp"

namespace cornerturn {
namespace {

constexpr int kAddressBits = 47;

/// Sorts by expected seconds, the quickest first. Candidates are large, so each is moved only once.
std::vector<candidate> sorted(std::vector<candidate> all) {
  std::vector<std::size_t> order(all.size());
  std::iota(order.begin(), order.end(), std::size_t(0));
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return all[i].seconds; });
  std::vector<candidate> result;
  result.reserve(all.size());
  for (std::size_t const i : order) result.push_back(std::move(all[i]));
  return result;
}

}  // namespace

std::vector<candidate> candidates_of(problem const& canonical, alignment const& aligned, gpu_model const& gpu) {
  refuse_beyond(canonical, kAddressBits, "a GPU");
  std::vector<candidate> result;
  result.reserve(32);
  auto const refitted = refit_elements(canonical, aligned);
  kernel_families::for_each([&]<class Family>() {
    for (auto& each : Family::candidates(refitted, aligned, gpu))
      result.push_back({std::move(each.plan), each.seconds, gpu.is_scaled});
  });
  return sorted(std::move(result));
}

double copy_seconds(std::int64_t bytes, gpu_model const& gpu) {
  return candidates_of(canonical({.modes = {{bytes, 1, 1}}}), {}, gpu).front().seconds;
}

std::string describe(candidate const& each) {
  return std::visit([](auto const& plan) { return describe(plan); }, each.kernel);
}

}  // namespace cornerturn
