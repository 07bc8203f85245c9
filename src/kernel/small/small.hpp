#pragma once

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
/// has few vectors, loads them all at once, and scatters their elements into shared memory. The 16-byte units of shared memory
/// are XORed with the column, so that neither phase has a bank conflict.
template <class T, tile_shape M_Tile>
struct small {
  static constexpr int V = 16 / int(sizeof(T));
  static constexpr bool kOverlaps = true;
  static constexpr int kRows = M_Tile.rows, kCols = M_Tile.cols, kThreads = M_Tile.threads, kBlocks = 1;
  static constexpr int kElements = kRows * kCols, kSharedBytes = kElements * int(sizeof(T));
  static constexpr int kDown = kRows / V, kAcross = kCols / V, kVectors = kElements / V / kThreads;
  static_assert(kVectors * kThreads * V == kElements);

  /// Index of an element of the tile in shared memory.
  CUTE_HOST_DEVICE static int smem_index(int row, int col) {
    return col * kRows + (row / V ^ (col / V & (kDown - 1))) * V + row % V;
  }

  template <class Block>
  CUTE_HOST_DEVICE static void run(Block& block, small_args<T> const& args) {
    small_job const& job = args.job;
    int matrix, tile_row, tile_col;
    job.tiles_down(matrix, tile_row, int(block.index()));
    job.tiles_across(matrix, tile_col, matrix);
    int const first_row = tile_row * kRows, first_col = tile_col * kCols, rows = job.rows - first_row,
              cols = job.cols - first_col;
    T* const tile = block.template shared<T, kElements>();

    auto const* const source =
        args.source + (matrix * job.source_batch_stride + std::int64_t(first_row) * job.source_pitch + first_col);
    alignas(16) T held[kVectors][V];
    CUTE_UNROLL
    for (int n = 0; n < kVectors; ++n) {
      int const i = block.thread() + n * kThreads, row = i / kAcross, col = i % kAcross * V;
      block.template global_load<V>(source + (std::int64_t(row) * job.source_pitch + col), held[n], row < rows && col < cols);
    }
    CUTE_UNROLL
    for (int n = 0; n < kVectors; ++n) {
      int const i = block.thread() + n * kThreads, row = i / kAcross, col = i % kAcross * V;
      CUTE_UNROLL
      for (int v = 0; v < V; ++v) block.template shared_store<1>(tile + smem_index(row, col + v), &held[n][v]);
    }

    block.sync();

    auto* const destination =
        args.destination + (matrix * job.destination_batch_stride + std::int64_t(first_col) * job.destination_pitch + first_row);
    CUTE_UNROLL
    for (int n = 0; n < kVectors; ++n) {
      int const i = block.thread() + n * kThreads, col = i / kDown, row = i % kDown * V;
      bool const active = row < rows && col < cols;
      alignas(16) T vector[V];
      block.template shared_load<V>(tile + smem_index(row, col), vector, active);
      block.template global_store<V>(destination + (std::int64_t(col) * job.destination_pitch + row), vector, active);
    }
  }
};

}  // namespace cornerturn::tile
