#pragma once

#include <array>
#include <cstdint>
#include <limits>

#include "tile/decoded_index.hpp"
#include "tile/radix_digit.hpp"

namespace cornerturn {

inline constexpr int kGatherThreads = 256;  ///< threads per block of the kernel

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
  static constexpr int kHeadBytes = kDecodedOffset + kDecodedBytes;  ///< the mbarrier and the decoded index

  std::array<radix_digit, kMostDigits> digits;
  digit_range tile_digits;             ///< digits of a block's index
  digit_range batch_digits;            ///< digits of an index in the tile's batch
  digit_range source_row_digits;       ///< digits of a source row's index: the modes of the vectors that are not in the run
  digit_range destination_row_digits;  ///< digits of a destination row's index: the modes of the run that are not in the vectors
  digit_range element_digits;          ///< digits of an element's index in its row; their `destination` counts source rows
  int tiles = 0;                       ///< one per block

  /// The mode that tiles cut on one side.
  struct cut_mode {
    std::int64_t extent = kUncut;  ///< the mode's extent; kUncut if no mode is cut on this side
    int row_indices = 1;           ///< indices in one row of a tile
    int tile_indices = 1;          ///< indices that a tile reads, with its batch and its halo

    /// Indices from `first` to the end of the mode, or `most` if there are more.
    CORNERTURN_HOST_DEVICE int left(std::int64_t first, int most) const {
      std::int64_t const all = extent - first;
      return all < most ? int(all) : most;
    }
  };

  /// The load phase copies source rows to shared memory.
  struct load_phase {
    int rows = 0;                   ///< source rows of a tile
    fast_divmod rows_per_batch{1};  ///< source rows of each index of the batch
    fast_divmod units{1};           ///< 16-byte units of a row, at most
    bool bulk = false;              ///< true if one cp.async.bulk copies a row, on GPUs that have it
    cut_mode cut;                   ///< the run's cut mode
    int cut_step = 1;               ///< bytes from one index of the cut mode to the next
    int uncut_span = 1;             ///< bytes that the run's uncut modes span
    int uncut_low = 0;              ///< bytes from a row's first element to the lowest byte of its uncut modes, at most 0
    std::int64_t tile_low = 0, tile_high = 0;  ///< the range that a tile reads, in bytes from its first element

    /// True if every unit that the tile reads lies between two addresses. `tile` is the address of its first element.
    template <class Address>
    CORNERTURN_HOST_DEVICE bool is_within(Address tile, Address begin, Address end) const {
      return tile + Address(tile_low) >= begin && tile + Address(tile_high) <= end;
    }
  } load;

  /// The tables in shared memory: the rows of both sides, and where the elements of a destination row are.
  struct table_phase {
    int entries = 0;                ///< entries of the offset table
    int copy_bytes = 0;             ///< bytes from one copy of the offset table to the next
    int log_gap_rows = 0;           ///< log2 of the number of source rows after which shared memory has a 16-byte gap
    int row_origin = 0;             ///< bytes of shared memory before the first destination row, for negative strides
    int element_origin = 0;         ///< bytes of shared memory before the first element of a row, for negative strides
    fast_divmod period{kNoPeriod};  ///< elements of a destination row after which the offsets repeat
    int period_bytes = 0;           ///< bytes by which the offsets grow from one period to the next; 0 if they do not repeat
  } table;

  /// The store phase writes destination rows.
  struct store_phase {
    fast_divmod rows{1};            ///< destination rows of a tile
    fast_divmod rows_per_batch{1};  ///< destination rows of each index of the batch
    cut_mode cut;                   ///< the vectors' cut mode
    int elements_per_index = 1;     ///< elements of a row for each index of the cut mode
    int elements = 1;               ///< elements of a whole row
    int halo = 0;          ///< indices of the cut mode that a tile reads beyond its own, so that a row ends in a whole vector
    fast_divmod lanes{1};  ///< neighbouring threads that write one row
    int lane_groups = 1;   ///< groups of `lanes` threads in a block
    int passes = 0;        ///< passes of the lanes over a row
    int align_mask = 0;    ///< a row's first pass begins `address & align_mask` bytes before the row, so that later passes begin
                           ///< with a sector or a line
    int word_xor = 0;      ///< 3 if lanes start with different words of a vector of bytes, to avoid bank conflicts; otherwise 0
    int log_granule = 4;   ///< log2 of a granule's bytes: an aligned piece of the destination, which a single tile writes
  } store;

  /// Offsets in shared memory of the head, of the table of rows and of the offset table, and its size; all in bytes.
  struct shared_layout {
    int head = 0, rows = 0, offsets = 0, bytes = 0;
  } shared;

  std::int64_t source_low = 0, source_high = 0;  ///< bytes from the source's pointer to its first byte, and past its last

  /// Indices of the cut modes from a tile on. One more of the vectors than a tile reads tells whether the tile is the last.
  CORNERTURN_HOST_DEVICE int run_left(tile::decoded_index<std::int64_t> const& place) const {
    return load.cut.left(place.run_index, load.cut.tile_indices);
  }
  CORNERTURN_HOST_DEVICE int vectors_left(tile::decoded_index<std::int64_t> const& place) const {
    return store.cut.left(place.vector_index, store.cut.tile_indices + 1);
  }
};

}  // namespace cornerturn
