#pragma once

#include <cstdint>
#include <vector>

#include "inplace/gpu_passes.hpp"
#include "kernel/alignment.hpp"
#include "machine/gpu_model.hpp"
#include "problem/panels.hpp"

namespace cornerturn {

/// The fastest ways of a GPU to exchange the sides of rectangles, given as panels of one slot, by chunks of the longer side.
/// Within each chunk the exchange is a panel, and the chunks are exchanged as boxes. Returns up to two plans: the chunks of one
/// fill the longer side, and the other saves the remaining indices in a workspace of at most `most_workspace` bytes. Returns none
/// if panels or boxes do not fit into the shared memory of a cluster.
std::vector<gpu_passes> gpu_skinny(panels const& whole, alignment const& aligned, gpu_model const& gpu,
                                   std::int64_t most_workspace);

}  // namespace cornerturn
