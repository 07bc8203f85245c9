#pragma once

#include "block/sizes.hpp"
#include "kernel/small/job.hpp"
#include "tile/maps.hpp"

namespace cornerturn::tile {

/// The parameters of the small kernel.
template <class T>
struct small_args {
  T const* source;
  T* destination;
  small_job job;
};

/// Transposes small matrices. The time of such a launch is its start and one round trip to memory. So a
/// thread computes one address, and its other accesses are fixed numbers of rows or columns away. It loads all of its vectors of
/// L elements at once, and scatters their elements into shared memory. The units of shared memory, vectors or at least words, are
/// XORed with the column, so that neither phase has a bank conflict. Vectors of S elements are stored.
template <class T, tile_shape M_Tile, int L, int S>
struct small {
  static constexpr bool kOverlaps = true;
  static constexpr int kRows = M_Tile.rows, kCols = M_Tile.cols, kThreads = M_Tile.threads, kBlocks = 1;
  static constexpr int kElements = kRows * kCols, kSharedBytes = kElements * int(sizeof(T));
  static constexpr int kAcross = kCols / L, kRowStep = kThreads / kAcross, kLoads = kRows / kRowStep;
  static constexpr int kDown = kRows / S, kColStep = kThreads / kDown, kStores = kCols / kColStep;
  static_assert(kRowStep * kAcross == kThreads && kLoads * kRowStep == kRows, "the threads load whole rows");
  static_assert(kColStep * kDown == kThreads && kStores * kColStep == kCols, "the threads store whole columns");
  static constexpr int kSize = int(sizeof(T)), kUnit = S * kSize < kBankBytes ? kBankBytes / kSize : S, kUnits = kRows / kUnit,
                       kColumnBytes = kRows * kSize;
  /// Columns that are XORed with the same number: those of a vector or, of elements, those that share a line of all banks.
  static constexpr int kEqual = L > 1 ? L : kColumnBytes < kWavefrontBytes ? kWavefrontBytes / kColumnBytes : 1;

  /// Index of an element of the tile in shared memory.
  CUTE_HOST_DEVICE static constexpr int smem_index(int row, int col) {
    return col * kRows + (row / kUnit ^ (col / kEqual & (kUnits - 1))) * kUnit + row % kUnit;
  }

  template <class Block>
  CUTE_HOST_DEVICE static void run(Block& block, small_args<T> const& args) {
    // Shift into the block: its tile of both matrices.
    small_job const& job = args.job;
    auto const place = block_place(job, kRows, kCols, block.index_in(job.tiles));
    auto const thread = unsigned(block.thread());
    T* const tile = block.template shared<T, kElements>();

    // Load: all vectors of a thread, along source rows.
    int const row = int(thread / kAcross), col = int(thread % kAcross) * L;
    int const from = place.source(job) + row * job.source_pitch + col, rows = col < place.cols ? place.rows - row : 0;
    alignas(16) T held[kLoads][L];
    CUTE_UNROLL
    for (int n = 0; n < kLoads; ++n)
      block.template global_load<L>(args.source + (from + n * kRowStep * job.source_pitch), held[n], n * kRowStep < rows);

    // Exchange in shared memory: scatter the elements.
    CUTE_UNROLL
    for (int n = 0; n < kLoads; ++n) {
      CUTE_UNROLL
      for (int v = 0; v < L; ++v) block.template shared_store<1>(tile + smem_index(row + n * kRowStep, col + v), &held[n][v]);
    }

    block.sync();

    // Store: vectors along destination rows.
    int const to_row = int(thread % kDown) * S, to_col = int(thread / kDown);
    int const to = place.destination(job) + to_col * job.destination_pitch + to_row,
              cols = to_row < place.rows ? place.cols - to_col : 0;
    CUTE_UNROLL
    for (int n = 0; n < kStores; ++n) {
      bool const active = n * kColStep < cols;
      alignas(16) T vector[S];
      block.template shared_load<S>(tile + smem_index(to_row, to_col + n * kColStep), vector, active);
      block.template global_store<S>(args.destination + (to + n * kColStep * job.destination_pitch), vector, active);
    }
  }
};

// A tile of 32 x 32 floats in vectors of 2. Row 5 of column 9 is element 1 of unit 2, which is XORed with 9 / 2.
static_assert(small<float, small_forms::kMany, 2, 2>::smem_index(5, 9) == 9 * 32 + (2 ^ 4) * 2 + 1);
// Moved in single bytes, 4 columns of 32 bytes share a line of all banks. Row 5 of column 9 is byte 1 of word 1, which is XORed
// with 9 / 4.
static_assert(small<char, small_forms::kFew, 1, 1>::smem_index(5, 9) == 9 * 32 + (1 ^ 2) * 4 + 1);

}  // namespace cornerturn::tile
