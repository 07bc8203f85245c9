#pragma once

#include <cstdint>
#include <string>

#include "plan/plan.hpp"
#include "problem/problem.hpp"
#include "tile/gather_form.hpp"
#include "tile/gather_job.hpp"

namespace cornerturn {

/// How large a tile is to be, in bytes: the rows that it has on either side, and all of it; and how many threads side by side
/// write a destination row, 0 for whichever number is usual.
struct tile_wish {
  std::int64_t run = 256, vectors = 256, tile = 16 << 10;
  int lanes = 0;
  bool operator==(tile_wish const&) const = default;
};

/// The gather program with a tile for one problem. Plain data: it holds for any memory aligned as it was planned for.
struct gather_plan {
  gather_job job;
  tile::gather_form form;
  int element_size = 1;
  std::int64_t source_offset = 0, destination_offset = 0;
};

/// The same map in elements as large as the memory allows, up to 16 bytes, or as small as its alignment demands. Expects and
/// returns a canonical problem.
problem refit_elements(problem const& canonical, alignment const& aligned);

/// Cuts a problem that `refit_elements` returned into tiles near a wish.
gather_plan plan_gather(problem const& refitted, alignment const& aligned, tile_wish const& wish);

std::string describe(gather_plan const& plan);

}  // namespace cornerturn
