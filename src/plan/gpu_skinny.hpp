#pragma once

#include <optional>

#include "kernel/alignment.hpp"
#include "kernel/gpu_model.hpp"
#include "plan/candidate.hpp"
#include "problem/panels.hpp"

namespace cornerturn {

/// The fastest way of a GPU to exchange the sides of rectangles, given as panels of one slot, by chunks of the longer side.
/// Within each chunk the exchange is a panel, and the chunks are exchanged as boxes. Needs no workspace. Empty if the longer side
/// has no divisor for which panels and boxes fit into the shared memory of a cluster.
std::optional<candidate> gpu_skinny(panels const& whole, alignment const& aligned, gpu_model const& gpu);

}  // namespace cornerturn
