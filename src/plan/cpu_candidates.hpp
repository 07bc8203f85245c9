#pragma once

#include <vector>

#include "plan/choose.hpp"

namespace cornerturn {

/// The ways in which the CPU can move a canonical problem that has elements, the one that is estimated to be the quickest first;
/// at least one, and few. How long they take is not estimated.
std::vector<candidate> cpu_candidates_of(problem const& canonical, cpu_wish const& usual = {});

}  // namespace cornerturn
