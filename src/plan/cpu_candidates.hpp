#pragma once

#include <vector>

#include "plan/candidate.hpp"

namespace cornerturn {

/// The plan of the CPU for a canonical problem that has elements, without measuring.
candidate cpu_candidate_of(problem const& canonical, cpu_tile_hint const& usual = {});

/// The plans of the CPU for a canonical problem that has elements: at least one, and at most eight. The first one is estimated to
/// be the fastest; no time is estimated.
std::vector<candidate> cpu_candidates_of(problem const& canonical, cpu_tile_hint const& usual = {});

}  // namespace cornerturn
