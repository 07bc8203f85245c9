#pragma once

#include <array>
#include <cstdint>

#include "tile/decoded_index.hpp"
#include "tile/radix_digit.hpp"
#include "tile/tile_shape.hpp"

namespace cornerturn {

/// The tile for elements of 4, 2 or 1 bits, in elements. A row of the source is a cache line, and a thread has a column of 32
/// words. On an H200, tiles with rows of half a line took up to a quarter longer.
constexpr tile_shape packed_tile_of(int bits) {
  return bits == 4 ? tile_shape{256, 256, 256, 4} : bits == 2 ? tile_shape{256, 512, 256, 4} : tile_shape{512, 1024, 512, 2};
}

/// Matrices of packed elements, to be transposed tile by tile. Sizes and strides are in bytes.
struct packed_job {
  static constexpr int kMostDigits = 48;
  std::array<radix_digit, kMostDigits> digits;
  /// Digits of a tile's index. `run_index` counts bytes of a row of the source, `vector_index` bytes of a row of the destination.
  digit_range tile_digits;
  int tiles = 0;                                                                                ///< one per block
  std::int64_t source_row = 0, destination_row = 0, source_stride = 0, destination_stride = 0;  ///< as in `packed_matrices`
  int source_bytes = 1, destination_bytes = 1;  ///< of an access: a byte or a word; a byte, a word or a 16-byte vector
  bool first_is_highest = false;                ///< as in `bit_packing`
};

/// The bytes of rows of a tile that are inside its matrix.
struct packed_place {
  int source_bytes, destination_bytes;
};

CORNERTURN_HOST_DEVICE packed_place place_of(packed_job const& job, int bits, tile::decoded_index<std::int64_t> const& at) {
  auto const tile = packed_tile_of(bits);
  auto const inside = [&](std::int64_t left, int elements) {
    int const bytes = elements * bits / 8;
    return left < bytes ? int(left) : bytes;
  };
  return {inside(job.source_row - at.run_index, tile.cols), inside(job.destination_row - at.vector_index, tile.rows)};
}

}  // namespace cornerturn
