#pragma once

#include <array>
#include <cstdint>
#include <limits>

#include "tile/digit.hpp"

namespace cornerturn {

/// What the gather program is asked to move, cut into tiles; elements have 1, 2, 4, 8 or 16 bytes.
///
/// A tile is a box of indices. Its *run* is the modes that lie closest together in the source: a source row is the elements of
/// one run, loaded as they lie. Its *vectors* are the modes that follow each other in the destination: a destination row is
/// written in whole vectors. A mode may belong to both. What the tile has besides is its batch.
struct gather_job {
  static constexpr int kMostDigits = 56;
  std::array<digit, kMostDigits> digits;
  digit_range outer;    ///< which tile, in the order of the blocks
  digit_range batch;    ///< of the tile
  digit_range columns;  ///< modes of the vectors that are not in the run: which source row
  digit_range lines;    ///< modes of the run that are not in the vectors: which destination row
  digit_range vectors;  ///< modes of the vectors; `destination` counts columns here

  int tiles = 0;                              ///< one for each block
  int source_rows = 0, destination_rows = 0;  ///< of a tile
  cutlass::FastDivmod columns_per_batch{1}, lines_per_batch{1};

  /// The mode that a tile cuts, on either side: its extent, and how much of it is in a tile's run or vectors. Nothing is cut
  /// where the extent is the greatest integer.
  std::int64_t run_extent = kUncut, vector_extent = kUncut;
  int run_part = 1, vector_part = 1;

  int run_step = 1;         ///< bytes from one index of the run's cut mode to the next
  int run_rest = 1;         ///< bytes that the run's other modes span
  int run_low = 0;          ///< bytes of the run, uncut, that lie before its first index: where strides are negative
  int vector_rest = 1;      ///< elements of the vectors for each index of their cut mode
  int vector_elements = 1;  ///< of a whole destination row
  int vector_reach = 1;     ///< indices of their cut mode that a tile reads
  int halo = 0;             ///< indices of the vectors' cut mode that a tile reads beyond its own, to end in a whole vector
  int log_together = 0;     ///< of the columns after which there is a gap in shared memory
  int origin = 0;           ///< bytes of shared memory before the first index of the first row

  std::int64_t tile_low = 0, tile_high = 0;  ///< bytes of the source from a tile's first element that it may read
  cutlass::FastDivmod loads{1};              ///< 16-byte units of a source row, at most
  cutlass::FastDivmod lanes{1};              ///< threads side by side in a destination row
  int stands = 1;                            ///< how many such threads a block has
  cutlass::FastDivmod rows{1};               ///< of the destination
  int stores = 0;                            ///< turns of the lanes over a destination row
  bool lined_up = false;                     ///< lanes begin where lines of 128 bytes do
  bool ragged = true;                        ///< destination rows may begin or end within a vector
  int grain = 16;                            ///< bytes of the destination that one tile writes alone, where it has a halo
  cutlass::FastDivmod ends{1};               ///< elements of a row that may be in no whole vector

  int turned_at = 0, turned_pitch = 0;  ///< bytes of shared memory before the turned tile, and from one row of it to the next
  int lines_together = 1;               ///< destination rows that lie together in the source
  cutlass::FastDivmod eights{1};        ///< of these
  cutlass::FastDivmod line_lanes{1};    ///< threads side by side over the eights of all
  int line_stands = 1, line_turns = 1;  ///< how many such threads a block has; their turns
  cutlass::FastDivmod fours{1};         ///< of elements in a destination row

  int rows_at = 0, places_at = 0;  ///< bytes of shared memory before the tables
  int places = 0;                  ///< entries of the second
  /// Elements of a destination row after which places repeat, a number of bytes further on.
  cutlass::FastDivmod period{kNoPeriod};
  int period_bytes = 0;
  int shared_bytes = 0;

  std::int64_t source_low = 0, source_high = 0;  ///< bytes from the source's pointer: the first read, and past the last

  static constexpr int kNoPeriod = 1 << 30;
  static constexpr std::int64_t kUncut = std::numeric_limits<std::int64_t>::max();
};

}  // namespace cornerturn
