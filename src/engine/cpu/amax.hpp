#pragma once

#include <cstdint>

namespace cornerturn::cpu {

/// Raises the magnitudes of rows and of columns to those of a tile's numbers. All are the bits of magnitudes, whose order is that
/// of integers. A row of the tile has 128 numbers.
void raise_amax(float const* tile, std::int64_t rows, std::int32_t* row_amax, std::int32_t* column_amax);

}  // namespace cornerturn::cpu
