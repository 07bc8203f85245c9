#include "plan/choose.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <optional>
#include <utility>

#include "base/planning_work.hpp"
#include "base/refuse.hpp"
#include "problem/canonical.hpp"
#include "problem/validate.hpp"

namespace cornerturn {
namespace {

constexpr int kAddressBits = 47;

/// Refuses an address that is not a multiple of its side's element size, because kernels that change elements access whole
/// elements.
void refuse_misaligned(element_sizes const& sizes, alignment const& aligned) {
  auto const expect = [](std::string_view side, int address, std::int64_t size) {
    if (address < size)
      refuse({side, "the {}'s address"}, fmt::format("a multiple of {}", address),
             fmt::format("one of {}, the size of an element, if a GPU changes elements", size));
  };
  expect("source", aligned.source, sizes.source), expect("destination", aligned.destination, sizes.destination);
}

/// The problem that the families plan: one with elements as large as the alignment allows, unless they change.
problem refitted_for(problem const& canonical, alignment const& aligned) {
  refuse_beyond(canonical, kAddressBits, "a GPU");
  if (!canonical.operation) return refit_elements(canonical, aligned);
  refuse_misaligned(canonical.element_size, aligned);
  return canonical;
}

/// The plans of a table's families as candidates of one step, which make_step(plan) makes.
template <class Families, class MakeStep>
std::vector<candidate> candidates_in(problem const& canonical, alignment const& aligned, gpu_model const& gpu,
                                     MakeStep const& make_step) {
  std::vector<candidate> result;
  auto const refitted = refitted_for(canonical, aligned);
  Families::for_each([&]<class Plan>() {
    auto all = Plan::candidates(refitted, aligned, gpu);
    work_of_planning.candidates += std::ssize(all);
    for (auto& each : all) {
      double const seconds = expected_seconds(each, gpu);
      result.push_back({.steps = {make_step(std::move(each))}, .seconds = seconds, .is_scaled = gpu.is_scaled});
    }
  });
  std::ranges::stable_sort(result, {}, &candidate::seconds);
  return result;
}

/// The first candidate of a table's families, if there is one.
template <class Families, class MakeStep>
std::optional<candidate> fastest_in(problem const& canonical, alignment const& aligned, gpu_model const& gpu,
                                    MakeStep const& make_step) {
  std::optional<candidate> result;
  auto const refitted = refitted_for(canonical, aligned);
  Families::for_each([&]<class Plan>() {
    if constexpr (requires { Plan::least_seconds(refitted, gpu); })
      if (result && Plan::least_seconds(refitted, gpu) > result->seconds) return;
    auto all = Plan::candidates(refitted, aligned, gpu);
    work_of_planning.candidates += std::ssize(all);
    Plan* fastest = nullptr;
    double least = result ? result->seconds : std::numeric_limits<double>::infinity();
    for (auto& each : all)
      if (double const seconds = expected_seconds(each, gpu); seconds < least) least = seconds, fastest = &each;
    if (fastest) result = {.steps = {make_step(std::move(*fastest))}, .seconds = least, .is_scaled = gpu.is_scaled};
  });
  return result;
}

constexpr auto kOneStep = [](auto plan) { return step{std::move(plan)}; };
constexpr auto kStepInplace = [](auto plan) { return inplace_step(std::move(plan)); };

}  // namespace

std::vector<candidate> candidates_of(problem const& canonical, alignment const& aligned, gpu_model const& gpu) {
  return canonical.operation ? candidates_in<operation_families>(canonical, aligned, gpu, kOneStep)
                             : candidates_in<kernel_families>(canonical, aligned, gpu, kOneStep);
}

candidate fastest_candidate(problem const& canonical, alignment const& aligned, gpu_model const& gpu) {
  auto fastest = canonical.operation ? fastest_in<operation_families>(canonical, aligned, gpu, kOneStep)
                                     : fastest_in<kernel_families>(canonical, aligned, gpu, kOneStep);
  return std::move(fastest).value();
}

std::vector<candidate> one_step_inplace(problem const& canonical, alignment const& aligned, gpu_model const& gpu) {
  return candidates_in<inplace_families>(canonical, aligned, gpu, kStepInplace);
}

double copy_seconds(std::int64_t bytes, gpu_model const& gpu) {
  return fastest_candidate(canonical({.modes = {{bytes, 1, 1}}}), {}, gpu).seconds;
}

}  // namespace cornerturn
