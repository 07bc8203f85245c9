#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "plan/plan.hpp"
#include "problem/problem.hpp"
#include "tile/interleave_job.hpp"

namespace cornerturn {

/// An interleave program for one problem. Plain data: it holds for any memory aligned as it was planned for.
struct interleave_plan {
  interleave_job job;
  int few = 0;            ///< rows
  bool together = false;  ///< their elements lie side by side in the destination; else in the source
  bool anywhere = false;  ///< rows begin anywhere, and have any length
  int element_size = 1;
  std::int64_t source_offset = 0, destination_offset = 0;
};

/// The plan for a canonical problem; nothing where it is not 2 to 8 rows, whose elements lie side by side on the other side, any
/// number of times. Elements of 1 to 8 bytes where rows are whole aligned 16-byte units, else of 1 or 2.
std::optional<interleave_plan> plan_interleave(problem const& canonical, alignment const& aligned);

std::string describe(interleave_plan const& plan);

}  // namespace cornerturn
