#pragma once

#include <cstdint>

namespace cornerturn::cpu {

/// Raises the entries of `row_amax` and `column_amax` to the largest magnitudes in the rows and columns of a tile. Magnitudes are
/// given as the bits of floats, which have the order of integers. The tile has `rows` rows of 128 numbers.
void raise_amax(float const* tile, std::int64_t rows, std::int32_t* row_amax, std::int32_t* column_amax);

}  // namespace cornerturn::cpu
