#pragma once

#include <string>
#include <vector>

#include "plan/candidate.hpp"

namespace cornerturn {

/// The candidates of a GPU for a matrix to quantise, the fastest first; at least one. Throws `error` for more than 2^31 - 1
/// tiles.
std::vector<candidate> quantize_candidates_of(quantize_layout const& layout, gpu_model const& gpu = h200_model());

/// The only candidate of the CPU. `threads` is as in `prepared_plan`.
candidate cpu_quantize_candidate_of(quantize_layout const& layout, int threads);

/// The matrix and the values along rows or, if only these are wanted, along columns.
problem values_of(quantize_layout const& layout);

/// The scales and the outputs in words: "scales of 1x128, outputs rows and columns".
std::string scales_text(quantize_layout const& layout);

}  // namespace cornerturn
