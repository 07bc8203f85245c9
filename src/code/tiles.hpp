#pragma once

#include <vector>

#include "code/run.hpp"
#include "cornerturn/explain.hpp"
#include "explain/tiled.hpp"

namespace cornerturn {

/// An array in shared memory, and its accesses in coordinates of a layout that may replace its own. Elements of 4 bits count in
/// pairs: a pair along the last extent is one element of these layouts.
struct code_tile {
  std::size_t array;              ///< its index
  layout_expression plain;        ///< the layout without padding; in CuTe's notation, the given one
  layout_expression given;        ///< the given layout of the same elements
  std::vector<pattern> patterns;  ///< one for each place that accesses the array
  int vector_bytes = 0;           ///< of the widest access
};

/// The arrays whose layout may be replaced: those in shared memory whose extents are known, that fit into a block's shared
/// memory, and whose accesses move whole elements. A last extent that is a power of two and up to 16 bytes or 8 elements more,
/// such as 33 or 72, is taken to be padded already, if no access gets to the padding.
std::vector<code_tile> tiles_of(code_run const& run);

/// The elements that count as one: 2 of 4 bits, else 1. And the bytes that they have.
constexpr int elements_in_unit(code_array const& array) { return array.of.bits < 8 ? 8 / array.of.bits : 1; }
constexpr int unit_bytes(code_array const& array) { return array.of.bits < 8 ? 1 : array.of.bits / 8; }

/// A layout of pairs as one of elements, and back. The last mode has stride 1.
layout_expression in_elements(layout_expression const& layout, int elements);
layout_expression in_units(layout_expression const& layout, int elements);

/// Moves the accesses to a tile's array to where another layout of the tile has their elements.
void move_accesses(code_run& run, code_tile const& tile, layout_expression const& layout);

/// The elements of a tile in a layout, and the threads that access them.
tile_map map_of(code_tile const& tile, layout_expression const& layout);

}  // namespace cornerturn
