#pragma once

#include <array>
#include <cstdint>
#include <limits>

#include "tile/radix_digit.hpp"

namespace cornerturn {

/// A problem for the gather kernel, divided into tiles. Elements have 1, 2, 4, 8 or 16 bytes.
///
/// A tile is a box of indices. Its *run* is the modes with the smallest strides in the source. The elements of one run are a
/// source row, which is copied to shared memory as it is. Its *vectors* are the modes that are contiguous in the destination.
/// They are a destination row, which is written in whole vectors. A mode may belong to both. The other indices of a tile are its
/// batch.
struct gather_job {
  static constexpr int kMostDigits = 56;
  static constexpr std::int64_t kUncut = std::numeric_limits<std::int64_t>::max();
  static constexpr int kNoPeriod = 1 << 30;
  static constexpr int kDecodedOffset = 16;  ///< bytes from the head to the decoded block index; an mbarrier is before it
  static constexpr int kHeadBytes = kDecodedOffset + kDecodedBytes;  ///< shared memory by which a block's threads agree

  std::array<radix_digit, kMostDigits> digits;
  digit_range tile_digits;             ///< digits of a block's index
  digit_range batch_digits;            ///< digits of an index in the tile's batch
  digit_range source_row_digits;       ///< digits of a source row: the modes of the vectors that are not in the run
  digit_range destination_row_digits;  ///< digits of a destination row: the modes of the run that are not in the vectors
  digit_range element_digits;          ///< digits of an element of a destination row; `destination` counts source rows here
  int tiles = 0;                       ///< one per block

  /// The mode that tiles cut on one side.
  struct cut_mode {
    std::int64_t extent = kUncut;  ///< indices of the mode; kUncut if no mode is cut on this side
    int part = 1;                  ///< indices in a row
    int reach = 1;                 ///< indices that a tile reads, its batch and halo included
  };

  /// The load phase copies source rows to shared memory.
  struct load_phase {
    int rows = 0;                   ///< source rows of a tile
    fast_divmod rows_per_batch{1};  ///< source rows of each index of the batch
    fast_divmod units{1};           ///< 16-byte units of a row, at most
    bool bulk = false;              ///< true if one cp.async.bulk copies a row, on GPUs that have it
    cut_mode cut;                   ///< the run's cut mode
    int cut_step = 1;               ///< bytes from one index of the cut mode to the next
    int rest = 1;                   ///< bytes that the run's other modes span
    int low = 0;                    ///< bytes from the row's first index to its lowest byte in the uncut modes, at most 0
    std::int64_t tile_low = 0, tile_high = 0;  ///< bytes from a tile's first element between which the tile reads
  } load;

  /// The tables in shared memory: the rows of both sides, and where the elements of a destination row are.
  struct table_phase {
    int entries = 0;                         ///< entries of the offset table
    int copy_bytes = 0;                      ///< bytes from one copy of the offset table to the next
    int log_gap_rows = 0;                    ///< log2 of the number of source rows after which shared memory has a 16-byte gap
    int row_origin = 0, element_origin = 0;  ///< bytes before the first destination row and element; negative strides need them
    fast_divmod period{kNoPeriod};           ///< elements of a destination row after which the offsets repeat
    int period_bytes = 0;  ///< bytes by which the offsets grow from one period to the next; 0 if they do not repeat
  } table;

  /// The store phase writes destination rows.
  struct store_phase {
    fast_divmod rows{1};            ///< destination rows of a tile
    fast_divmod rows_per_batch{1};  ///< destination rows of each index of the batch
    cut_mode cut;                   ///< the vectors' cut mode
    int rest = 1;                   ///< elements of the vectors for each index of the cut mode
    int elements = 1;               ///< elements of a whole row
    int halo = 0;          ///< indices of the cut mode that a tile reads beyond its own, so that a row ends in a whole vector
    fast_divmod lanes{1};  ///< neighbouring threads that write one row
    int lane_groups = 1;   ///< groups of so many threads in a block
    int passes = 0;        ///< passes of the lanes over a row
    int align_mask = 0;    ///< bits of a row's address by which its first pass begins earlier, at a sector or a line
    int word_xor = 0;      ///< 3 if lanes start with different words of a vector of bytes, to avoid bank conflicts; otherwise 0
    int log_grain = 4;     ///< log2 of the bytes of the destination that no two tiles share
  } store;

  /// Bytes of shared memory before the head, before the rows' table and before the offset table, and in all.
  struct shared_layout {
    int head = 0, rows = 0, offsets = 0, bytes = 0;
  } shared;

  std::int64_t source_low = 0, source_high = 0;  ///< bytes from the source's pointer to its first byte, and past its last
};

}  // namespace cornerturn
