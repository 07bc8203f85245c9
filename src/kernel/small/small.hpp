#pragma once

#include "block/sizes.hpp"
#include "cornerturn/tile.cuh"
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

/// Transposes small matrices. The time of such a launch is its start and one round trip to memory. So a thread computes one
/// address of each array and one of shared memory, and its other accesses are at fixed steps from it. It loads all of its vectors
/// of L elements at once, and scatters their elements into shared memory. Vectors of S elements are stored.
template <class T, tile_shape M_Tile, int L, int S>
struct small {
  static constexpr bool kOverlaps = true;
  static constexpr int kRows = M_Tile.rows, kCols = M_Tile.cols, kThreads = M_Tile.threads, kBlocks = 1;
  static constexpr int kSize = int(sizeof(T)), kElements = kRows * kCols, kSharedBytes = kElements * kSize;

  /// How the threads divide the tile, and the swizzle of shared memory.
  static constexpr tile_scheme scheme() {
    tile_scheme result;
    result.element = kSize, result.rows = kRows, result.columns = kCols;
    result.along = L, result.vector = S, result.pitch = kRows;
    result.squares = warp_map::of({L, 1, unsigned(min(kCols / L, kWarp)), false, kThreads / kWarp}, kCols, kRows);
    result.vectors = warp_map::of({S, 1, unsigned(min(kRows / S, kWarp)), false, kThreads / kWarp}, kRows, kCols);
    warp_access const both[] = {detail::access_of(result, true), detail::access_of(result, false)};
    auto const found = found_swizzle::search(both, S * kSize, log2_of(kSharedBytes));
    if (found.wavefronts == found.ideal)
      result.swizzle = {found.swizzle.bits, found.swizzle.base - log2_of(kSize), found.swizzle.shift};
    return result;
  }
  static constexpr tile_scheme kScheme = scheme();
  static_assert(kScheme.swizzle.bits > 0, "neither phase has a bank conflict");
  static_assert(kScheme.squares.is_exact && kScheme.vectors.is_exact, "all threads have equally many vectors");

  /// Index of an element of the tile in shared memory: the XOR of those of the parts of its row and its column.
  CUTE_HOST_DEVICE static constexpr int smem_index(int row, int col) {
    constexpr tile_scheme kHere = kScheme;
    return kHere.offset(row, col);
  }

  template <class Block>
  CUTE_HOST_DEVICE static void run(Block& block, small_args<T> const& args) {
    // Shift into the block: its tile of both matrices.
    small_job const& job = args.job;
    auto const place = block_place(job, kRows, kCols, block.index_in(job.tiles));
    auto const thread = unsigned(block.thread());
    T* const tile = block.template shared<T, kElements>();

    // Load: all vectors of a thread, along source rows.
    constexpr warp_map kFrom = kScheme.squares, kTo = kScheme.vectors;
    constexpr int kLoads = kFrom.steps, kRowStep = kRows / kLoads, kStores = kTo.steps, kColStep = kCols / kStores;
    int const row = kFrom.slow(thread, 0), col = kFrom.fast(thread, 0);
    int const from = place.source(job) + row * job.source_pitch + col, rows = col < place.cols ? place.rows - row : 0;
    alignas(16) T held[kLoads][L];
    CUTE_UNROLL
    for (int n = 0; n < kLoads; ++n)
      block.template global_load<L>(args.source + (from + n * kRowStep * job.source_pitch), held[n], n * kRowStep < rows);

    // Exchange in shared memory: scatter the elements.
    int const to_shared = smem_index(row, col);
    CUTE_UNROLL
    for (int n = 0; n < kLoads; ++n) {
      CUTE_UNROLL
      for (int v = 0; v < L; ++v) block.template shared_store<1>(tile + (to_shared ^ smem_index(n * kRowStep, v)), &held[n][v]);
    }

    block.sync();

    // Store: vectors along destination rows.
    int const to_row = kTo.fast(thread, 0), to_col = kTo.slow(thread, 0), from_shared = smem_index(to_row, to_col);
    int const to = place.destination(job) + to_col * job.destination_pitch + to_row,
              cols = to_row < place.rows ? place.cols - to_col : 0;
    CUTE_UNROLL
    for (int n = 0; n < kStores; ++n) {
      bool const active = n * kColStep < cols;
      alignas(16) T vector[S];
      block.template shared_load<S>(tile + (from_shared ^ smem_index(0, n * kColStep)), vector, active);
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
