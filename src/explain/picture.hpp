#pragma once

#include <string_view>
#include <vector>

#include "cornerturn/code.hpp"
#include "cornerturn/explain.hpp"
#include "explain/svg.hpp"

namespace cornerturn {

/// The texts of a tile's picture: the place of the tile ("in shared memory"), and the number of a cell ("the thread that stores
/// the element").
struct tile_words {
  std::string_view place, number;
};

constexpr std::string_view kStoringThread = "the thread that stores the element";
constexpr std::string_view kLoadingThread = "the thread that loads the element";

/// Draws the corner of a tile. A cell is an element, coloured by bank (in global memory by sector) and numbered by thread. A
/// swizzled tile is drawn with and without its swizzle.
void draw_tile(svg& picture, tile_map const& tile, int element_size, tile_words const& words);

/// Draws one request of each instruction: for shared memory its banks, one row per wavefront, with the swizzle and without; for
/// global memory its sectors.
void draw_requests(svg& picture, std::vector<memory_instruction> const& instructions, std::vector<tile_map> const& tiles,
                   int element_size);

/// Draws the sectors of one request of each instruction as if its addresses were in global memory. An instruction without sectors
/// does not access global memory.
void draw_as_global(svg& picture, std::vector<memory_instruction> const& instructions);

}  // namespace cornerturn
