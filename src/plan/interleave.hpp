#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "plan/plan.hpp"
#include "problem/problem.hpp"
#include "tile/interleave_job.hpp"

namespace cornerturn {

/// The interleave kernel for one problem. Plain data: it serves any memory with the alignment that it was planned for.
struct interleave_plan {
  interleave_job job;
  int few = 0;            ///< the number of rows, 2 to 8
  bool together = false;  ///< the rows' elements are interleaved in the destination; else in the source
  bool anywhere = false;  ///< rows may begin unaligned and have any length
  int element_size = 1;
  std::int64_t source_offset = 0, destination_offset = 0;
};

/// Plans a canonical problem that interleaves 2 to 8 rows or deinterleaves them, any number of times; empty for any other
/// problem. Rows of whole aligned 16-byte units may have elements of 1 to 8 bytes, other rows of 1 or 2 bytes.
std::optional<interleave_plan> plan_interleave(problem const& canonical, alignment const& aligned);

std::string describe(interleave_plan const& plan);

}  // namespace cornerturn
