#pragma once

#include <cstdint>
#include <string>

#include "plan/plan.hpp"
#include "problem/problem.hpp"
#include "tile/gather_form.hpp"
#include "tile/gather_job.hpp"

namespace cornerturn {

/// The size in bytes that a tile should have: `run` of a source row, `vectors` of a destination row, `tile` of all. `lanes` is
/// the number of neighbouring threads that write one destination row; 0 leaves it to the planner.
struct tile_hint {
  std::int64_t run = 256, vectors = 256, tile = 16 << 10;
  int lanes = 0;
  bool operator==(tile_hint const&) const = default;
};

/// The gather kernel with a tile for one problem. Plain data: it serves any memory with the alignment that it was planned for.
struct gather_plan {
  gather_job job;
  tile::gather_form form;
  int element_size = 1;
  std::int64_t source_offset = 0, destination_offset = 0;
};

/// Restates a canonical problem with elements as large as its modes allow, up to 16 bytes, but no larger than the alignment. The
/// result is canonical.
problem refit_elements(problem const& canonical, alignment const& aligned);

/// Cuts a problem that `refit_elements` returned into tiles near a hint.
gather_plan plan_gather(problem const& refitted, alignment const& aligned, tile_hint const& hint);

std::string describe(gather_plan const& plan);

}  // namespace cornerturn
