#pragma once

#include <cstdint>
#include <vector>

#include "plan/candidate.hpp"

namespace cornerturn {

/// The candidates of a GPU for a canonical problem that has elements, the fastest first; at least one. Calls no function of CUDA.
/// Throws `error` for a problem that is larger than a GPU's address space.
std::vector<candidate> candidates_of(problem const& canonical, alignment const& aligned, gpu_model const& gpu = h200_model());

/// The first of these candidates. Kernels that are known to be slower than others are not planned.
candidate fastest_candidate(problem const& canonical, alignment const& aligned, gpu_model const& gpu = h200_model());

/// The candidates of one kernel of a GPU for a canonical problem in place, the fastest first. The problem has elements, and its
/// source and destination are one array. Empty if no kernel can permute it in place.
std::vector<candidate> one_step_inplace(problem const& canonical, alignment const& aligned, gpu_model const& gpu = h200_model());

/// The seconds that a GPU is expected to take to copy `bytes` bytes.
double copy_seconds(std::int64_t bytes, gpu_model const& gpu);

}  // namespace cornerturn
