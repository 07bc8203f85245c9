#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "plan/step.hpp"

namespace cornerturn {

/// One way to move a problem: steps that run one after another. A candidate is plain data, and valid for any memory with the
/// planned alignment.
struct candidate {
  std::vector<step> steps;  ///< empty if there is nothing to move
  std::int64_t workspace_bytes = 0, staging_bytes = 0;
  double seconds = 0;      ///< expected or measured time; 0 if no time is known
  bool is_scaled = false;  ///< `seconds` is an estimate by a model scaled from another GPU's
  std::string why = {};    ///< why it was chosen among others, for the description of a plan
};

/// A candidate of one step, from the problem's source to its destination.
template <class Plan>
candidate single_step(Plan kernel, double seconds = 0) {
  candidate result{.steps = {}, .seconds = seconds};
  result.steps.push_back({std::move(kernel)});
  return result;
}

/// The step of a candidate with a single step. Throws std::logic_error if it has several steps, because one does not move the
/// whole problem.
step const& only_step(candidate const& each);

/// The steps in their order, and the sizes of the buffers that they need besides the source and the destination.
std::string describe(candidate const& each);

/// Tells the candidates of one problem apart in files: the steps' ids, and the sizes of these buffers.
std::string id_of(candidate const& each);

}  // namespace cornerturn
