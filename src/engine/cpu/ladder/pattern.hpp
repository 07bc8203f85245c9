#pragma once

#include <cstdint>

#include "engine/cpu/ladder/rungs.hpp"

namespace cornerturn::cpu {

/// Fills a matrix with elements that depend on their index only.
void fill_pattern(void* memory, matrix const& shape);

/// The number of wrong elements in a destination. It should be the transpose of a matrix filled by `fill_pattern`, or the matrix
/// itself if `transposed` is false.
std::int64_t count_wrong(void const* destination, matrix const& shape, bool transposed);

}  // namespace cornerturn::cpu
