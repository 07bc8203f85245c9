#pragma once

#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "kernel/families.hpp"
#include "plan/cpu_plan.hpp"

namespace cornerturn {

/// One way to move a problem: a GPU kernel with all that its launch needs, or a plan of the CPU engine.
struct candidate {
  kernel_families::plan_or<cpu_plan> kernel;
  double seconds = 0;      ///< that the candidate is expected to take; 0 if no estimate or measurement exists
  bool is_scaled = false;  ///< `seconds` is an estimate by a model scaled from another GPU's
};

/// The ways in which a GPU can move a canonical problem that has elements, the quickest first; at least one. Calls no function of
/// CUDA. Throws `error` for a problem that is larger than a GPU's address space.
std::vector<candidate> candidates_of(problem const& canonical, alignment const& aligned, gpu_model const& gpu = h200_model());

/// The seconds that a GPU is expected to take to copy `bytes` bytes.
double copy_seconds(std::int64_t bytes, gpu_model const& gpu);

/// Calls use(plan) with the plan of a GPU's candidate, and returns what that returns. Throws std::bad_variant_access for a CPU's.
template <class Use>
auto with_kernel(candidate const& chosen, Use const& use) {
  return std::visit(
      [&]<class Plan>(Plan const& plan) -> decltype(use(std::declval<rung_plan const&>())) {
        if constexpr (std::is_same_v<Plan, cpu_plan>)
          throw std::bad_variant_access();
        else
          return use(plan);
      },
      chosen.kernel);
}

std::string describe(candidate const& each);

}  // namespace cornerturn
