#pragma once

#include <limits>
#include <optional>

#include "inplace/rectangle.hpp"
#include "kernel/alignment.hpp"
#include "kernel/panels/plan.hpp"
#include "machine/gpu_model.hpp"
#include "plan/candidate.hpp"

namespace cornerturn {

/// Both passes of a GPU over rectangles, without the copies of the saved parts.
struct gpu_passes {
  rectangle_passes passes;
  panels_plan panel;
  std::optional<step> slots;  ///< the pass that exchanges slots, or runs; empty if the panels do everything
  double seconds = 0;         ///< expected time of both passes
};

/// The passes with the copies of the saved parts. Returns nothing if they are expected to take `limit` seconds or more.
std::optional<candidate> with_copies(gpu_passes const& planned, alignment const& aligned, gpu_model const& gpu,
                                     double limit = std::numeric_limits<double>::infinity());

}  // namespace cornerturn
