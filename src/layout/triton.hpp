#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "layout/notation.hpp"

namespace cornerturn {

/// True for a text with a layout of Triton or Gluon: a call such as "gl.BlockedLayout(…)", an attribute of MLIR such as
/// "#ttg.blocked<{…}>", or a dict of bases.
bool is_triton(std::string_view text);

/// Parses the layout of a tile in shared memory: SwizzledSharedLayout, NVMMASharedLayout, PaddedSharedLayout or
/// SharedLinearLayout, with the tile's shape before it, "[64, 64], SwizzledSharedLayout(8, 1, 8, [1, 0])", or in a call of
/// allocate_shared_memory, whose type gives the element size. Extents are powers of two.
///
/// Throws `error` as `parse_tile` does, and for bases that are no swizzle of CuTe.
tile_layout parse_triton_tile(std::string_view argument, std::string_view text, int element_size);

/// The elements that the threads of a block hold.
struct held_elements {
  std::int64_t threads = 0, values = 0;
  std::vector<std::int64_t> elements;  ///< linear coordinates, by thread * values + value; several threads may hold an element
};

/// Parses the layout of a tensor in registers: BlockedLayout, SliceLayout, DistributedLinearLayout, or LinearLayout with the
/// bases of register, lane and warp, for a tile of these extents. A blocked layout that is smaller than the tile is repeated.
held_elements parse_triton_threads(std::string_view argument, std::string_view text, std::vector<std::int64_t> const& extents);

}  // namespace cornerturn
