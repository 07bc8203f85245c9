#pragma once

#include <array>
#include <cstdint>

#include "tile/decoded_index.hpp"
#include "tile/radix_digit.hpp"

namespace cornerturn {

/// A tile of packed elements, in words of 4 bytes.
struct packed_tile {
  int across;  ///< words of a row of the source: 16 or 32
  int down;    ///< words of a row of the destination: 16 or 32
};

/// The tile for elements of 4, 2 or 1 bits. A row of the destination is a cache line. Each thread keeps 32 words in registers, so
/// a tile of bits has twice as many threads as the others.
constexpr packed_tile packed_tile_of(int bits) { return {bits == 4 ? 32 : 16, 32}; }

/// Matrices of packed elements, to be transposed tile by tile. Sizes and strides are in bytes.
struct packed_job {
  static constexpr int kMostDigits = 48;
  std::array<radix_digit, kMostDigits> digits;
  /// Digits of a tile's index. `run_index` counts words of a row of the source, `vector_index` words of a row of the destination.
  digit_range tile_digits;
  int tiles = 0;                                                                                ///< one per block
  std::int64_t source_row = 0, destination_row = 0, source_stride = 0, destination_stride = 0;  ///< as in `packed_matrices`
  int source_bytes = 1, destination_bytes = 1;  ///< of an access: a byte or a word; a byte, a word or a 16-byte vector
  bool first_is_highest = false;                ///< as in `bit_packing`
};

/// The bytes of the rows of a tile that are inside its matrix.
struct packed_place {
  int source_bytes, destination_bytes;
};

CORNERTURN_HOST_DEVICE packed_place place_of(packed_job const& job, packed_tile const& tile,
                                             tile::decoded_index<std::int64_t> const& at) {
  auto const inside = [](std::int64_t row, std::int64_t first, int words) {
    auto const left = row - 4 * first;
    return left < 4 * words ? int(left) : 4 * words;
  };
  return {inside(job.source_row, at.run_index, tile.across), inside(job.destination_row, at.vector_index, tile.down)};
}

}  // namespace cornerturn
