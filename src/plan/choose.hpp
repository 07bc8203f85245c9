#pragma once

#include <string>
#include <variant>
#include <vector>

#include "plan/cpu_plan.hpp"
#include "plan/gather.hpp"
#include "plan/gpu_model.hpp"
#include "plan/interleave.hpp"
#include "plan/plan.hpp"
#include "plan/small.hpp"
#include "plan/unaligned.hpp"

namespace cornerturn {

/// One way to move a problem: a GPU kernel with all that its launch needs, or a plan of the CPU engine.
struct candidate {
  std::variant<rung_plan, gather_plan, interleave_plan, unaligned_plan, small_plan, cpu_plan> kernel;
  double seconds = 0;      ///< that the candidate is expected to take; 0 if no estimate or measurement exists
  bool is_scaled = false;  ///< `seconds` is an estimate by a model scaled from another GPU's
};

/// The ways in which a GPU can move a canonical problem that has elements, the quickest first; at least one. Calls no function of
/// CUDA. Throws `error` for a problem that is larger than a GPU's address space.
std::vector<candidate> candidates_of(problem const& canonical, alignment const& aligned, gpu_model const& gpu = h200_model());

/// The seconds that a GPU is expected to take to copy `bytes` bytes.
double copy_seconds(std::int64_t bytes, gpu_model const& gpu);

std::string describe(candidate const& each);

}  // namespace cornerturn
