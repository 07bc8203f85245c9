#pragma once

#include <array>
#include <cstdint>
#include <limits>

#include "tile/radix_digit.hpp"

namespace cornerturn {

/// What the gather program is asked to move, cut into tiles; elements have 1, 2, 4, 8 or 16 bytes.
///
/// A tile is a box of indices. Its *run* is the modes that lie closest together in the source: a source row is the elements of
/// one run, loaded as they lie. Its *vectors* are the modes that follow each other in the destination: a destination row is
/// written in whole vectors. A mode may belong to both. What the tile has besides is its batch.
struct gather_job {
  static constexpr int kMostDigits = 56;
  std::array<radix_digit, kMostDigits> digits;
  digit_range outer;    ///< which tile, in the order of the blocks
  digit_range batch;    ///< of the tile
  digit_range columns;  ///< modes of the vectors that are not in the run: which source row
  digit_range lines;    ///< modes of the run that are not in the vectors: which destination row
  digit_range vectors;  ///< modes of the vectors; `destination` counts columns here

  int tiles = 0;                              ///< one a block
  int source_rows = 0, destination_rows = 0;  ///< of a tile
  fast_divmod columns_per_batch{1}, lines_per_batch{1};

  /// The mode that a tile cuts, on either side: its extent, and how much of it is in a tile's run or vectors. Nothing is cut
  /// where the extent is the greatest integer.
  std::int64_t run_extent = kUncut, vector_extent = kUncut;
  int run_part = 1, vector_part = 1;

  int run_step = 1;         ///< bytes from one index of the run's cut mode to the next
  int run_reach = 1;        ///< indices of that mode that a tile reads
  int run_rest = 1;         ///< bytes that the run's other modes span
  int run_low = 0;          ///< bytes of the run, uncut, that lie before its first index: where strides are negative
  int vector_rest = 1;      ///< elements of the vectors for each index of their cut mode
  int vector_elements = 1;  ///< of a whole destination row
  int vector_reach = 1;     ///< indices of their cut mode that a tile reads
  int halo = 0;             ///< indices of the vectors' cut mode that a tile reads beyond its own, to end in a whole vector
  int log_together = 0;     ///< of the columns after which there is a gap in shared memory
  /// Bytes of shared memory that negative strides need before the first index: of the lines and of the vectors.
  int lines_origin = 0, vectors_origin = 0;

  std::int64_t tile_low = 0, tile_high = 0;  ///< bytes of the source from a tile's first element that it may read
  fast_divmod loads{1};                      ///< 16-byte units of a source row, at most
  bool by_rows = false;                      ///< each source row is fetched whole, by one thread, where the GPU can
  fast_divmod lanes{1};                      ///< threads side by side in a destination row
  int stands = 1;                            ///< how many such threads a block has
  fast_divmod rows{1};                       ///< of the destination
  int stores = 0;                            ///< turns of the lanes over a destination row
  int line_mask = 0;                         ///< the bits of an address by which lanes begin earlier: where lines or sectors do
  int swaps = 0;      ///< 3 where lanes begin with different words of a vector of bytes, to meet other banks
  int log_grain = 4;  ///< of the bytes of the destination that one tile writes alone

  /// Bytes of shared memory before the head, which has what the block's threads agree by, and before the tables.
  int head_at = 0, rows_at = 0, places_at = 0;
  static constexpr int kSumAt = 16, kHeadBytes = kSumAt + kDecodedBytes;  ///< behind the head's barrier, its sum
  int places = 0, places_pitch = 0;                                       ///< entries of the second, and bytes of each copy of it
  /// Elements of a destination row after which places repeat, a number of bytes further on.
  fast_divmod period{kNoPeriod};
  int period_bytes = 0;  ///< 0 where they do not
  int shared_bytes = 0;

  std::int64_t source_low = 0, source_high = 0;  ///< bytes from the source's pointer: the first read, and past the last

  static constexpr int kNoPeriod = 1 << 30;
  static constexpr std::int64_t kUncut = std::numeric_limits<std::int64_t>::max();
};

}  // namespace cornerturn
