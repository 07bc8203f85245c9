#pragma once

#include <string>
#include <variant>
#include <vector>

#include "plan/cpu_plan.hpp"
#include "plan/gather.hpp"
#include "plan/interleave.hpp"
#include "plan/plan.hpp"
#include "plan/small.hpp"
#include "plan/unaligned.hpp"

namespace cornerturn {

/// One way to move a problem: a kernel with all that its launch needs, or how the CPU does it; and how long it is expected to
/// take, 0 where nothing is.
struct candidate {
  std::variant<rung_plan, gather_plan, interleave_plan, unaligned_plan, small_plan, cpu_plan> kernel;
  double seconds = 0;
};

/// The ways in which a GPU can move a canonical problem that has elements, the quickest first; at least one. Asks no GPU
/// anything. Throws `error` for more than a GPU can hold.
std::vector<candidate> candidates_of(problem const& canonical, alignment const& aligned);

/// The seconds that a GPU is expected to take for a copy of so many bytes.
double copy_seconds(std::int64_t bytes);

std::string describe(candidate const& each);

}  // namespace cornerturn
