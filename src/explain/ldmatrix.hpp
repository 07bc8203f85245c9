#pragma once

#include <cstdint>
#include <vector>

#include "explain/tiled.hpp"

namespace cornerturn {

/// The rows that one warp's ldmatrix instructions of `matrices` (1, 2 or 4) matrices read from a tile of these extents. A matrix
/// has 8 rows of 16 bytes; lane l gives the address of row l % 8 of matrix l / 8, and lanes without a row are inactive. The
/// tile's first mode counts rows. Two matrices are one below the other, four are 2 x 2, the first mode first, as mma reads
/// operand A.
///
/// Throws `error`, which names ldmatrix, unless `matrices` is 1, 2 or 4 and the instructions divide the tile.
pattern ldmatrix_rows(int matrices, std::vector<std::int64_t> const& extents, int element_size);

}  // namespace cornerturn
