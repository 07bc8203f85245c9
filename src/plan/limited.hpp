#pragma once

#include <string>
#include <vector>

#include "machine/gpu_model.hpp"
#include "pattern/problems.hpp"
#include "plan/candidate.hpp"

namespace cornerturn {

/// The ways of a GPU to pad, crop and swizzle, the one with the shortest estimate first: one launch if a `limited_problem` states
/// the copy, and a launch for each box, which always is possible. `aligned` is of the pointers.
std::vector<candidate> limited_candidates(pattern_copy const& copy, alignment const& aligned, gpu_model const& gpu);

/// The way of the CPU.
candidate cpu_limited_candidate(pattern_copy const& copy, cpu_tile_hint const& usual = {});

/// The shape and the strides in bytes of both sides, and which of them are padded, cropped or swizzled.
std::string describe(pattern_copy const& copy);
/// Tells copies apart in files.
std::string to_string(pattern_copy const& copy);

}  // namespace cornerturn
