#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "plan/fold.hpp"
#include "problem/problem.hpp"
#include "tile/catalogue.hpp"
#include "tile/job.hpp"

namespace cornerturn {

/// The alignment of both addresses in bytes, a power of two up to 16.
struct alignment {
  int source = 16, destination = 16;
};
alignment alignment_of(void const* source, void const* destination);

/// A rung with its tile and access widths for one job. Plain data: it serves any memory with the alignment that it was planned
/// for.
struct rung_plan {
  rung kernel = rung::copy;
  access_widths widths;
  tile_shape tile;
  int element_size = 1;
  job shape;
  std::int64_t blocks = 0;                                 ///< blocks of the launch
  std::int64_t source_offset = 0, destination_offset = 0;  ///< elements from the caller's pointers

  /// Bytes of one global access; 0 if TMA moves boxes.
  int load_bytes() const { return widths.source * element_size; }
  int store_bytes() const { return widths.destination * element_size; }
};

/// The tiles that a rung is compiled with for these widths. A plan takes the first.
std::vector<tile_shape> tiles_of(rung kernel, int element_size, access_widths widths);

/// The same plan with another tile from `tiles_of`.
rung_plan with_tile(rung_plan each, tile_shape const& tile);

/// Plans one rung for a job. `element_size` is 1, 2, 4, 8 or 16 bytes. A side is accessed in 16-byte vectors if its address,
/// pitch, batch stride and row length are all multiples of 16 bytes (a copy needs no such row length). Throws `error` if an
/// address is not a multiple of the element size, and if TMA cannot move a side that the rung moves in boxes: TMA needs a 16-byte
/// multiple as address, as pitch and as batch stride, and for stores as row length.
rung_plan plan_rung(rung kernel, job const& shape, int element_size, alignment const& aligned);

/// Plans a canonical problem that folds to a batched 2-D copy (`copy`) or transpose (`vec-both`); empty for any other problem.
std::optional<rung_plan> plan_problem(problem const& canonical, alignment const& aligned);

/// "vec-both 64x64, 256 threads, 16-byte loads and stores: 3 x 4096 x 8192 of 4 bytes".
std::string describe(rung_plan const& plan);

}  // namespace cornerturn
