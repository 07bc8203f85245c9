#pragma once

#include <vector>

#include "plan/candidate.hpp"

namespace cornerturn {

/// The plan of the CPU for a canonical problem that has elements, without measuring.
candidate cpu_candidate_of(problem const& canonical, cpu_tile_hint const& usual = {});

/// The plans of the CPU for a canonical problem that has elements: at least one, and at most eight. The first one is expected to
/// be the fastest, by rules and not by times.
std::vector<candidate> cpu_candidates_of(problem const& canonical, cpu_tile_hint const& usual = {});

/// The work of a plan of the CPU.
cpu_work cpu_work_of(candidate const& each);

/// The work of the CPU's copy of contiguous bytes.
cpu_work cpu_work_of_copy(std::int64_t bytes, cpu_tile_hint const& usual = {});

}  // namespace cornerturn
