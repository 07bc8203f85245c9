#pragma once

#include <string>

#include "layout/layout.hpp"

namespace cornerturn {

/// CUDA C++ without CuTe for a tile in shared memory with a plain or swizzled layout: the array, and how its elements are
/// indexed. A matrix is `__shared__ float tile[64][65];  // element (i, j) is tile[i][j]`. Other layouts are an array of one
/// dimension; before a swizzled one there is a lambda that computes the index. `vector_bytes` is the alignment that the accesses
/// need. Expects no offset before the swizzle.
std::string cuda_code_of(layout_expression const& layout, int element_size, int vector_bytes);

}  // namespace cornerturn
