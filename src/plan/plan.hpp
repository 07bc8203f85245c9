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

/// Bytes, up to 16, that the addresses of both sides are multiples of.
struct alignment {
  int source = 16, destination = 16;
};
alignment alignment_of(void const* source, void const* destination);

/// Which kernel moves a job, with which tile and which accesses. Plain data: it holds for any memory aligned as it was planned
/// for.
struct rung_plan {
  rung kernel = rung::copy;
  access_widths widths;
  tile_shape tile;
  int element_size = 1;
  job shape;
  std::int64_t blocks = 0;                                 ///< of the launch
  std::int64_t source_offset = 0, destination_offset = 0;  ///< elements from the pointers handed in

  /// Bytes of one global access; 0 where TMA moves boxes.
  int load_bytes() const { return widths.source * element_size; }
  int store_bytes() const { return widths.destination * element_size; }
};

/// The tiles with which a rung is compiled for these widths; the first is what a plan takes.
std::vector<tile_shape> tiles_of(rung kernel, int element_size, access_widths widths);

/// The same plan with another of `tiles_of` its rung.
rung_plan with_tile(rung_plan each, tile_shape const& tile);

/// The plan of one rung, by force. `element_size` is 1, 2, 4, 8 or 16 bytes. Vectors are chosen for each side apart: where its
/// address, pitch, batch stride and row length are all multiples of 16 bytes (a copy needs no such length). Throws `error` where
/// the addresses are not even multiples of an element, and where TMA cannot reach a side that the rung moves in boxes: there, the
/// address, the pitch and the batch stride must be multiples of 16 bytes, and where it stores, the row length too.
rung_plan plan_rung(rung kernel, job const& shape, int element_size, alignment const& aligned);

/// By `copy` or `vec-both`, what a canonical problem folds to; nothing where that is neither a copy nor a batched 2-D transpose.
std::optional<rung_plan> plan_problem(problem const& canonical, alignment const& aligned);

/// "vec-both 64x64, 256 threads, 16-byte loads and stores: 3 x 4096 x 8192 of 4 bytes".
std::string describe(rung_plan const& plan);

}  // namespace cornerturn
