#pragma once

#include <optional>

#include "kernel/alignment.hpp"
#include "machine/gpu_model.hpp"
#include "plan/candidate.hpp"
#include "problem/problem.hpp"

namespace cornerturn {

/// The fastest kernel of a GPU that permutes each array of a batch of small arrays in place, by tiles of whole arrays: a block
/// reads all of its tile before it writes the tile's result to the same place. `refit_elements` returned the problem, whose
/// source and destination are one dense array. Returns nothing if the problem is not a batch, or if no tile has whole arrays.
std::optional<candidate> small_arrays_inplace(problem const& refitted, alignment const& aligned, gpu_model const& gpu);

}  // namespace cornerturn
