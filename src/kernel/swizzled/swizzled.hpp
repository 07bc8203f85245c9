#pragma once

#include "kernel/tiled/tiled.hpp"
#include "tile/swizzled_addresses.hpp"

namespace cornerturn::tile {

template <class T>
struct swizzled_args : tiled_args<T> {
  swizzled_addresses source_at, destination_at;
};

/// Any permutation between arrays whose byte offsets are swizzled, by the blocks of `tiled_block`. An access has at most 16
/// bytes, so its elements stay together.
template <class T, int N_V, int Rows, int M_V>
struct swizzled_tiles {
  static constexpr bool kOverlaps = true;
  static constexpr int kThreads = kTiledThreads[0], kBlocks = kTiledResidentThreads / kThreads;

  template <class Block>
  CUTE_HOST_DEVICE static void run(Block& block, swizzled_args<T> const& args) {
    constexpr int kLoads = kTiledBytesPerThread / (N_V * Rows * int(sizeof(T))), kStores = 4;
    using tile = tiled_block<T, T, N_V, Rows, M_V, kThreads, kLoads, kStores>;
    auto const store = [&](T* destination, typename tile::store_accesses const& to, T const(&vectors)[kStores][M_V], int) {
      CUTE_UNROLL
      for (int n = 0; n < kStores; ++n)
        block.template global_store<M_V>(args.destination_at(destination + to.global[n]), vectors[n], to.active[n]);
    };
    tile::run(block, args, store, args.source_at);
  }
};

}  // namespace cornerturn::tile
