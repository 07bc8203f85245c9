#pragma once

#include <string_view>
#include <vector>

#include "cornerturn/explain.hpp"
#include "explain/svg.hpp"

namespace cornerturn {

/// What a tile's picture says of it: "in shared memory", and that a thread "stores" the element.
struct tile_words {
  std::string_view place, moves;
};

/// The corner of a tile: a cell an element, coloured by bank (or, in global memory, by sector) and numbered by thread; with the
/// swizzle and, where there is one, without.
void draw_tile(svg& picture, tile_map const& tile, int element_size, tile_words const& words);

/// The banks that one request of each shared instruction meets, a row a wavefront, with the swizzle and without; the sectors that
/// one of each global instruction touches.
void draw_requests(svg& picture, std::vector<memory_instruction> const& instructions, std::vector<tile_map> const& tiles,
                   int element_size);

/// The sectors that one request of each instruction would touch if its addresses were those of global memory.
void draw_as_global(svg& picture, std::vector<memory_instruction> const& instructions);

}  // namespace cornerturn
