#pragma once

#include "kernel/swap/job.hpp"
#include "tile/cut.hpp"
#include "tile/maps.hpp"

namespace cornerturn::tile {

/// The parameters of the kernels that work in place.
template <class T>
struct swap_args {
  T* data;
  swap_job job;
};

/// Swaps two tiles of single elements across the diagonal, each transposed. Each half of the block loads one of the two tiles; a
/// tile on the diagonal is loaded by the first half alone. Each thread loads rows of elements, transposes them in registers and
/// stores 16-byte units of the result's rows into shared memory. After all loads of the block, each half stores its tile to the
/// place of the other tile. The layout of shared memory and its swizzle are as in `vec_both`.
template <class T, tile_shape M_Tile, int N_V>
struct swap {
  static constexpr int V = 16 / int(sizeof(T));
  static constexpr bool kOverlaps = true;
  static constexpr int M = M_Tile.rows, kHalf = M_Tile.threads, kThreads = 2 * kHalf, kBlocks = M_Tile.blocks;
  static constexpr int kElements = M * M, kTileBytes = kElements * int(sizeof(T)), kSharedBytes = 2 * kTileBytes;

  /// True if a thread loads all its units before it stores the first one. More units, or more elements a unit, would spill.
  static constexpr bool kHoldsUnits = N_V == V && sizeof(T) >= 4;

  using shared_layout = decltype(composition(Swizzle<3, log2_of(V), log2_of(M) - log2_of(V) + log2_of(N_V)>{},
                                             Layout<Shape<Int<M>, Int<M>>, Stride<_1, Int<M>>>{}));
  using load_map = along_n<M, M, kHalf, N_V, V>;
  using store_map = along_m<M, M, kHalf, N_V>;

  template <class Block>
  CUTE_HOST_DEVICE static void run(Block& block, swap_args<T> const& args) {
    // Shift into the block: each half has one of two tiles.
    swap_job const& job = args.job;
    tile_pair const pair(job, int(block.index()));
    int const half = block.thread() / kHalf, thread = block.thread() % kHalf;
    bool const has_tile = half == 0 || pair.row != pair.column;
    int const m = half == 0 ? pair.row : pair.column, n = half == 0 ? pair.column : pair.row;

    // Shapes and strides: the square before and after, and the tile in shared memory.
    T* const square = args.data + job.square_offset(pair.group);
    auto const extents = make_shape(job.extent, job.extent);
    auto const tile_at = [&](auto const& stride) {
      return local_tile(make_tensor(make_gmem_ptr(square), make_layout(extents, stride)), Shape<Int<M>, Int<M>>{},
                        make_coord(m, n));
    };
    auto const source = tile_at(make_stride(job.pitch, _1{}));
    auto const destination = tile_at(make_stride(_1{}, job.pitch));
    auto const tile = make_tensor(make_smem_ptr(block.template shared<T, kElements>() + half * kElements), shared_layout{});

    // Load, exchange in shared memory, store.
    auto const swap_tiles = [&](auto const& inside) {
      if (has_tile) load(block, thread, source, tile, inside);
      block.sync();
      if (has_tile) store(block, thread, tile, destination, inside);
    };
    if (job.extent - pair.column * std::int64_t(M) >= M)
      swap_tiles(no_predicate{});
    else
      swap_tiles(bounds_predicate{job.extent - m * std::int64_t(M), job.extent - n * std::int64_t(M)});
  }

 private:
  template <class Block, class Source, class Tile, class Inside>
  CUTE_HOST_DEVICE static void load(Block& block, int thread, Source const& source, Tile const& tile, Inside const& inside) {
    auto const from = part_of(source, load_map{}, thread, _, _, _);
    auto const to = part_of(tile, load_map{}, thread, _, _, _);
    auto const at = part_of(make_identity_tensor(source.shape()), load_map{}, thread, _, _, _);
    auto const load_unit = [&](int unit) {
      alignas(16) T rows[V][N_V];
      CUTE_UNROLL
      for (int r = 0; r < V; ++r) block.template global_load<N_V>(&from(0, r, unit), rows[r], inside(at(0, r, unit)));
      CUTE_UNROLL
      for (int c = 0; c < N_V; ++c) {
        alignas(16) T column[V];
        CUTE_UNROLL
        for (int r = 0; r < V; ++r) column[r] = rows[r][c];
        block.template shared_store<V>(&to(c, 0, unit), column);
      }
    };
    if constexpr (kHoldsUnits) {
      CUTE_UNROLL
      for (int unit = 0; unit < size<3>(load_map{}); ++unit) load_unit(unit);
    } else {
      CORNERTURN_NO_UNROLL
      for (int unit = 0; unit < size<3>(load_map{}); ++unit) load_unit(unit);
    }
  }

  template <class Block, class Tile, class Destination, class Inside>
  CUTE_HOST_DEVICE static void store(Block& block, int thread, Tile const& tile, Destination const& destination,
                                     Inside const& inside) {
    auto const from = part_of(tile, store_map{}, thread, _, _);
    auto const to = part_of(destination, store_map{}, thread, _, _);
    auto const at = part_of(make_identity_tensor(destination.shape()), store_map{}, thread, _, _);
    CUTE_UNROLL
    for (int i = 0; i < size<2>(store_map{}); ++i) {
      alignas(16) T held[N_V];
      bool const active = inside(at(0, i));
      block.template shared_load<N_V>(&from(0, i), held, active);
      block.template global_store<N_V>(&to(0, i), held, active);
    }
  }
};

}  // namespace cornerturn::tile
