#pragma once

#include <span>
#include <vector>

#include "pattern/problems.hpp"
#include "plan/candidate.hpp"

namespace cornerturn {

/// The candidates of a GPU to pad, crop and swizzle, the fastest first: one launch if a `limited_problem` states the copy, and a
/// launch for each box, which always is possible.
std::vector<candidate> limited_candidates(pattern_copy const& copy, alignment const& aligned,
                                          gpu_model const& gpu = h200_model());

/// The launches of a GPU that write the pad to a box.
candidate fill_of(problem const& box, std::span<std::byte const> pad, alignment const& aligned, gpu_model const& gpu);

/// The plan of the CPU that pads, crops and swizzles.
candidate cpu_limited_candidate(pattern_copy const& copy, cpu_tile_hint const& usual = {});

}  // namespace cornerturn
