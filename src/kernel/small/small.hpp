#pragma once

#include "block/sizes.hpp"
#include "kernel/small/job.hpp"
#include "tile/maps.hpp"

namespace cornerturn::tile {

/// The parameters of the small kernel. They are few, because a launch of few blocks waits for its parameters.
template <class T>
struct small_args {
  T const* source;
  T* destination;
  small_job job;
};

/// Transposes matrices that fit into the L2 cache. The time of such a launch is its start and one round trip to memory. A thread
/// has few vectors of V elements, loads them all at once, and scatters their elements into shared memory. The units of shared
/// memory, vectors or at least words, are XORed with the column, so that neither phase has a bank conflict.
template <class T, tile_shape M_Tile, int V>
struct small {
  static constexpr bool kOverlaps = true;
  static constexpr int kRows = M_Tile.rows, kCols = M_Tile.cols, kThreads = M_Tile.threads, kBlocks = 1;
  static constexpr int kElements = kRows * kCols, kSharedBytes = kElements * int(sizeof(T));
  static constexpr int kDown = kRows / V, kAcross = kCols / V, kVectors = kElements / V / kThreads;
  static_assert(kVectors * kThreads * V == kElements);
  static constexpr int kSize = int(sizeof(T)), kUnit = V == 1 && kSize < kBankBytes ? kBankBytes / kSize : V,
                       kUnits = kRows / kUnit, kColumnBytes = kRows * kSize;
  /// Columns that are XORed with the same number: those of a vector or, of elements, those that share a line of all banks.
  static constexpr int kEqual = V > 1 ? V : kColumnBytes < kWavefrontBytes ? kWavefrontBytes / kColumnBytes : 1;

  /// Index of an element of the tile in shared memory.
  CUTE_HOST_DEVICE static constexpr int smem_index(int row, int col) {
    return col * kRows + (row / kUnit ^ (col / kEqual & (kUnits - 1))) * kUnit + row % kUnit;
  }

  template <class Block>
  CUTE_HOST_DEVICE static void run(Block& block, small_args<T> const& args) {
    // Shift into the block: its tile of both matrices.
    small_job const& job = args.job;
    auto const place = block_place(job, kRows, kCols, int(block.index()));
    T* const tile = block.template shared<T, kElements>();

    // Load: all vectors of a thread, along source rows.
    auto const* const source = args.source + place.source(job);
    alignas(16) T held[kVectors][V];
    CUTE_UNROLL
    for (int n = 0; n < kVectors; ++n) {
      int const i = block.thread() + n * kThreads, row = i / kAcross, col = i % kAcross * V;
      block.template global_load<V>(source + (std::int64_t(row) * job.source_pitch + col), held[n],
                                    row < place.rows && col < place.cols);
    }

    // Exchange in shared memory: scatter the elements.
    CUTE_UNROLL
    for (int n = 0; n < kVectors; ++n) {
      int const i = block.thread() + n * kThreads, row = i / kAcross, col = i % kAcross * V;
      CUTE_UNROLL
      for (int v = 0; v < V; ++v) block.template shared_store<1>(tile + smem_index(row, col + v), &held[n][v]);
    }

    block.sync();

    // Store: vectors along destination rows.
    auto* const destination = args.destination + place.destination(job);
    CUTE_UNROLL
    for (int n = 0; n < kVectors; ++n) {
      int const i = block.thread() + n * kThreads, col = i / kDown, row = i % kDown * V;
      bool const active = row < place.rows && col < place.cols;
      alignas(16) T vector[V];
      block.template shared_load<V>(tile + smem_index(row, col), vector, active);
      block.template global_store<V>(destination + (std::int64_t(col) * job.destination_pitch + row), vector, active);
    }
  }
};

// A tile of 32 x 32 floats. Row 5 of column 9 is element 1 of unit 1, which is XORed with 9 / 4.
static_assert(small<float, small_tile_of(4, 0), 4>::smem_index(5, 9) == 9 * 32 + (1 ^ 2) * 4 + 1);
// Moved in single bytes, 4 columns of 32 bytes share a line of all banks. Row 5 of column 9 is byte 1 of word 1, which is XORed
// with 9 / 4.
static_assert(small<char, small_tile_of(1, 1), 1>::smem_index(5, 9) == 9 * 32 + (1 ^ 2) * 4 + 1);

}  // namespace cornerturn::tile
