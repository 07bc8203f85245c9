#pragma once

#include <optional>

#include "kernel/alignment.hpp"
#include "kernel/gpu_model.hpp"
#include "plan/candidate.hpp"
#include "problem/problem.hpp"

namespace cornerturn {

/// The fastest kernel of a GPU that permutes each array of a batch of small arrays in place, by tiles of whole arrays: a block
/// reads all of its tile before it writes the tile's result to the same place. The problem is one that `refit_elements` returned,
/// whose source and destination are one dense array. Empty if it is no batch, or if no tile has whole arrays.
std::optional<candidate> small_arrays_inplace(problem const& refitted, alignment const& aligned, gpu_model const& gpu);

}  // namespace cornerturn
