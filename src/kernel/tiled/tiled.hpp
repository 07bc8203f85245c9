#pragma once

#include <cstdint>

#include "kernel/tiled/job.hpp"
#include "tile/decoded_index.hpp"
#include "tile/maps.hpp"
#include "tile/source_list.hpp"

namespace cornerturn::tile {

template <class T>
struct tiled_args {
  T const* source;
  T* destination;
  tiled_job job;
};

/// The ends of the two cut modes, in elements from the tile's first element. Only the accesses of an edge tile are compared with
/// them.
template <bool IsEdge>
struct tile_ends {
  int run, vectors;
};

/// `Steps` accesses of one thread, which are `Threads` apart. All members have an entry per access.
template <int Steps, int Threads>
struct tiled_accesses {
  int global[Steps] = {}, shared[Steps] = {};  ///< offsets in elements from the tile's first element
  bool active[Steps];

  /// `first` is the index of the first access, and `count` the number of accesses of the tile.
  template <bool IsEdge>
  CUTE_HOST_DEVICE tiled_accesses(access_digits const& list, int first, int count, tile_ends<IsEdge> const& ends) {
    int left[Steps], run[Steps] = {}, vectors[Steps] = {};
    CUTE_UNROLL
    for (int n = 0; n < Steps; ++n) {
      int const index = first + n * Threads;
      active[n] = index < count;
      left[n] = active[n] ? index : 0;
    }
    auto const add = [&](access_digit const& each, int n, int value) {
      global[n] += value * each.global;
      shared[n] += value * each.shared;
      if constexpr (IsEdge) run[n] += value * each.run_index, vectors[n] += value * each.vector_index;
    };
    // The loop over digits is outside, so that the divisions of all accesses are independent instructions.
    int const last = list.count - 1;
    CORNERTURN_NO_UNROLL
    for (int i = 0; i < last; ++i) {
      access_digit const each = list.digits[std::size_t(i)];
      CUTE_UNROLL
      for (int n = 0; n < Steps; ++n) {
        int const quotient = each.radix.divide_above_one(left[n]);
        add(each, n, left[n] - quotient * each.radix.divisor);
        left[n] = quotient;
      }
    }
    access_digit const each = list.digits[std::size_t(last)];
    CUTE_UNROLL
    for (int n = 0; n < Steps; ++n) {
      add(each, n, left[n]);
      if constexpr (IsEdge) active[n] = active[n] && run[n] < ends.run && vectors[n] < ends.vectors;
    }
  }
};

/// The place of an element in an array: its address, unless the array is swizzled.
struct same_address {
  template <class T>
  CUTE_HOST_DEVICE T* operator()(T* at) const {
    return at;
  }
};

/// Moves a tile of source elements T to destination elements D. Blocks are small and short-lived, so that phases of several
/// blocks overlap. A thread issues all its loads first: `Loads` groups of `Rows` vectors of N_V elements. It transposes each
/// group in registers and stores the columns to shared memory, which has elements of type T. From there it loads vectors of M_V
/// elements and calls store(destination, accesses, vectors, index of the first one) with `Stores` vectors at once. Their indices
/// are `Threads` apart, and their offsets are computed together. If `Stays`, the elements of a load are also contiguous in the
/// destination, and are not transposed. The kernel's parameters may have a `source_list`, the member `sources`. Loads are from
/// the places that `source_at` returns for their addresses.
template <class T, class D, int N_V, int Rows, int M_V, int Threads, int Loads, int Stores, bool Stays = false>
struct tiled_block {
  using load_accesses = tiled_accesses<Loads, Threads>;
  using store_accesses = tiled_accesses<Stores, Threads>;

  template <class Block, class Args, class Store, class Places = same_address>
  CUTE_HOST_DEVICE static void run(Block& block, Args const& args, Store const& store, Places const& source_at = {}) {
    tiled_job const& job = args.job;
    // Shift into the block: its tile of both arrays.
    if constexpr (requires { args.sources; }) {
      auto const listed = listed_block_of(block, args.sources);
      decoded_index<std::int64_t> const at(job, job.tile_digits, listed.index);
      run_tile(block, job, at, source_of(args, listed) + at.source, destination_of(args, listed) + at.destination, store,
               source_at);
    } else {
      decoded_index<std::int64_t> const at(job, job.tile_digits, int(block.index()));
      run_tile(block, job, at, args.source + at.source, args.destination + at.destination, store, source_at);
    }
  }

 private:
  /// Moves the tile that begins at these addresses.
  template <class Block, class Store, class Places>
  CUTE_HOST_DEVICE static void run_tile(Block& block, tiled_job const& job, decoded_index<std::int64_t> const& at,
                                        T const* source, D* destination, Store const& store, Places const& source_at) {
    auto const run_left = job.run_end - at.run_index, vectors_left = job.vectors_end - at.vector_index;
    bool const cuts_run = run_left < job.run_tile, cuts_vectors = vectors_left < job.vectors_tile;
    if (cuts_run || cuts_vectors)
      move(block, job, source, destination, store, source_at,
           tile_ends<true>{cuts_run ? int(run_left) : tiled_job::kUncut, cuts_vectors ? int(vectors_left) : tiled_job::kUncut});
    else
      move(block, job, source, destination, store, source_at, tile_ends<false>{});
  }

  template <class Block, class Store, class Places, bool IsEdge>
  CUTE_HOST_DEVICE static void move(Block& block, tiled_job const& job, T const* source, D* destination, Store const& store,
                                    Places const& source_at, tile_ends<IsEdge> const& ends) {
    T* const tile = block.opaque_address(block.template shared<T, 1>());

    // Load: all vectors of a thread, along the source's runs.
    alignas(16) T held[Loads][Rows][N_V];
    load_accesses const from(job.load_digits, block.thread(), job.loads, ends);
    CUTE_UNROLL
    for (int n = 0; n < Loads; ++n) CUTE_UNROLL
    for (int r = 0; r < Rows; ++r)
      block.template global_load<N_V>(source_at(source + from.global[n] + r * job.row_step), held[n][r], from.active[n]);
    // The offsets of the first stores are computed while the loads are under way.
    store_accesses to(job.store_digits, block.thread(), job.stores, ends);

    // Exchange in shared memory: columns of the groups of loads, in the destination's order.
    CUTE_UNROLL
    for (int n = 0; n < Loads; ++n) {
      if constexpr (Stays) {
        block.template shared_store<N_V>(tile + from.shared[n], held[n][0], from.active[n]);
      } else {
        CUTE_UNROLL
        for (int v = 0; v < N_V; ++v) {
          alignas(16) T column[Rows];
          CUTE_UNROLL
          for (int r = 0; r < Rows; ++r) column[r] = held[n][r][v];
          block.template shared_store<Rows>(tile + from.shared[n] + v * job.column_step, column, from.active[n]);
        }
      }
    }

    block.sync();

    // Store: vectors of the destination.
    for (int first = block.thread();;) {
      alignas(16) T vectors[Stores][M_V];
      CUTE_UNROLL
      for (int n = 0; n < Stores; ++n) block.template shared_load<M_V>(tile + to.shared[n], vectors[n], to.active[n]);
      store(destination, to, vectors, first);
      first += Stores * Threads;
      if (first - block.thread() >= job.stores) return;
      to = store_accesses(job.store_digits, first, job.stores, ends);
    }
  }
};

/// Any permutation, by the blocks of `tiled_block`.
template <class T, int N_V, int Rows, int M_V, int Threads>
struct tiled {
  static constexpr bool kOverlaps = true;
  static constexpr int kThreads = Threads, kBlocks = kTiledResidentThreads / Threads;

  template <class Block>
  CUTE_HOST_DEVICE static void run(Block& block, tiled_args<T> const& args) {
    constexpr int kLoads = kTiledBytesPerThread / (N_V * Rows * int(sizeof(T))), kStores = 4;
    using tile = tiled_block<T, T, N_V, Rows, M_V, Threads, kLoads, kStores>;
    tile::run(block, args, [&](T* destination, typename tile::store_accesses const& to, T const(&vectors)[kStores][M_V], int) {
      CUTE_UNROLL
      for (int n = 0; n < kStores; ++n) block.template global_store<M_V>(destination + to.global[n], vectors[n], to.active[n]);
    });
  }
};

}  // namespace cornerturn::tile
