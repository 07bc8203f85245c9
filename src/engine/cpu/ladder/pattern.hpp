#pragma once

#include <cstdint>

#include "engine/cpu/ladder/rungs.hpp"

namespace cornerturn::cpu {

/// Fills a matrix with elements that depend on their index alone.
void fill_pattern(void* memory, matrix const& shape);

/// How many elements of a destination are not what a source filled by `fill_pattern` should have become: its transpose, or (not
/// `transposed`) itself.
std::int64_t count_wrong(void const* destination, matrix const& shape, bool transposed);

}  // namespace cornerturn::cpu
