#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "plan/plan.hpp"
#include "tile/small_job.hpp"

namespace cornerturn {

/// The small program for one problem. Plain data: it holds for any memory aligned as it was planned for.
struct small_plan {
  small_job job;
  int tile = 0;  ///< which of those compiled
  int element_size = 1;
  int batch = 1;
  int blocks = 0;  ///< of the launch
  std::int64_t source_offset = 0, destination_offset = 0;

  tile_shape shape() const { return small_tile_of(element_size, tile); }
};

/// The plan that moves what `vec-both` would, in the first of the tiles of which there are few; nothing where there are many of
/// each, and where it moves single elements or elements of 16 bytes.
std::optional<small_plan> plan_small(rung_plan const& vec_both);

std::string describe(small_plan const& plan);

}  // namespace cornerturn
