#include "plan/choose.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "problem/canonical.hpp"
#include "problem/fail.hpp"
#include "problem/validate.hpp"

namespace cornerturn {
namespace {

constexpr int kAddressBits = 47;

/// Refuses an address that is not a multiple of its side's element size, because kernels that change elements access them as a
/// whole.
void refuse_misaligned(element_sizes const& sizes, alignment const& aligned) {
  auto const expect = [](std::string_view side, int address, std::int64_t size) {
    if (address < size)
      refuse(fmt::format("the {}'s address", side), fmt::format("a multiple of {}", address),
             fmt::format("one of {}, the size of an element, if a GPU changes elements", size));
  };
  expect("source", aligned.source, sizes.source), expect("destination", aligned.destination, sizes.destination);
}

/// The plans of a table's families as candidates of one step, which make_step(plan) makes.
template <class Families, class MakeStep>
std::vector<candidate> candidates_in(problem const& canonical, alignment const& aligned, gpu_model const& gpu,
                                     MakeStep const& make_step) {
  refuse_beyond(canonical, kAddressBits, "a GPU");
  if (canonical.operation) refuse_misaligned(canonical.element_size, aligned);
  std::vector<candidate> result;
  auto const refitted = canonical.operation ? canonical : refit_elements(canonical, aligned);
  Families::for_each([&]<class Plan>() {
    for (auto& each : Plan::candidates(refitted, aligned, gpu))
      result.push_back({.steps = {make_step(std::move(each.plan))}, .seconds = each.seconds, .is_scaled = gpu.is_scaled});
  });
  std::ranges::stable_sort(result, {}, &candidate::seconds);
  return result;
}

}  // namespace

std::vector<candidate> candidates_of(problem const& canonical, alignment const& aligned, gpu_model const& gpu) {
  auto const one_step = [](auto plan) { return step{std::move(plan)}; };
  return canonical.operation ? candidates_in<operation_families>(canonical, aligned, gpu, one_step)
                             : candidates_in<kernel_families>(canonical, aligned, gpu, one_step);
}

std::vector<candidate> one_step_inplace(problem const& canonical, alignment const& aligned, gpu_model const& gpu) {
  return candidates_in<inplace_families>(canonical, aligned, gpu, [](auto plan) { return inplace_step(std::move(plan)); });
}

double copy_seconds(std::int64_t bytes, gpu_model const& gpu) {
  return candidates_of(canonical({.modes = {{bytes, 1, 1}}}), {}, gpu).front().seconds;
}

}  // namespace cornerturn
