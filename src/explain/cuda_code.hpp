#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "layout/layout.hpp"

namespace cornerturn {

/// What a tile is called in code.
struct tile_name {
  std::string_view name = "tile";
  std::string_view type = {};  ///< of its elements; empty: a type of their size
};

/// CUDA C++ without CuTe for a tile in shared memory with a plain or swizzled layout: the array, and how its elements are
/// indexed. A padded matrix is `__shared__ float tile[64][65];  // element (i, j) is tile[i][j]`. A layout whose strides are no
/// products of extents is an array of one dimension; before a swizzled one there is a lambda that computes the index.
/// `vector_bytes` is the alignment that the accesses need. Expects no offset before the swizzle.
std::string cuda_code_of(layout_expression const& layout, int element_size, int vector_bytes, tile_name const& of = {});

/// The elements of the array that `cuda_code_of` declares, with the padding of its last row.
std::int64_t declared_elements(layout_expression const& layout);

}  // namespace cornerturn
