#include "plan/choose.hpp"

#include <algorithm>
#include <utility>

#include "problem/canonical.hpp"
#include "problem/validate.hpp"

namespace cornerturn {
namespace {

constexpr int kAddressBits = 47;

}  // namespace

std::vector<candidate> candidates_of(problem const& canonical, alignment const& aligned, gpu_model const& gpu) {
  refuse_beyond(canonical, kAddressBits, "a GPU");
  std::vector<candidate> result;
  auto const refitted = refit_elements(canonical, aligned);
  kernel_families::for_each([&]<class Family>() {
    for (auto& each : Family::candidates(refitted, aligned, gpu))
      result.push_back(single_step(std::move(each.plan), each.seconds, gpu.is_scaled));
  });
  std::ranges::stable_sort(result, {}, &candidate::seconds);
  return result;
}

double copy_seconds(std::int64_t bytes, gpu_model const& gpu) {
  return candidates_of(canonical({.modes = {{bytes, 1, 1}}}), {}, gpu).front().seconds;
}

}  // namespace cornerturn
