#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "inplace/gpu_passes.hpp"
#include "inplace/rectangle.hpp"
#include "kernel/alignment.hpp"
#include "machine/gpu_model.hpp"
#include "problem/panels.hpp"

namespace cornerturn {

/// Plans one launch that transposes the slots of panels and exchanges them, for a cut that leaves no rows or columns. Returns
/// nothing if the kernel cannot do it.
std::optional<gpu_passes> plan_exchanging(panels const& whole, rectangle_cut const& cut, slot_exchange exchange,
                                          alignment const& aligned, gpu_model const& gpu);

/// The fastest ways of a GPU to exchange the sides of rectangles, given as panels of one slot, in one such launch. Returns up to
/// two plans: one exchanges slots after the transpose, one before it. Returns none if no cut into slots fills the rectangles with
/// 16-byte vectors, or if the flags have more than `most_workspace` bytes.
std::vector<gpu_passes> gpu_exchanging(panels const& whole, alignment const& aligned, gpu_model const& gpu,
                                       std::int64_t most_workspace);

}  // namespace cornerturn
