#pragma once

#include <type_traits>

#include "kernel/rung/catalogue.hpp"
#include "tile/boxes.hpp"

namespace cornerturn::tile {

/// Loads as in `vec_both`, into swizzled boxes of destination rows, which TMA stores. One thread stores a whole box, and the end
/// of the matrix needs no predicate.
///
/// The swizzle separates eight neighbouring destination rows, but neighbouring vectors of a source row are N_V destination rows
/// apart. Therefore up to eight neighbouring threads are below each other.
template <class T, int M, int N, int Threads, int Blocks, int N_V>
struct tma_store {
  static constexpr int V = 16 / int(sizeof(T)), E = kBoxCols<T>;
  static constexpr int kRows = M, kCols = N, kThreads = Threads, kBlocks = Blocks;
  static constexpr int kSourceBoxRows = 0, kDestinationBoxRows = N;
  static constexpr bool kSwizzled = true;
  static constexpr operation kOperation = operation::transpose;
  static constexpr raster kRaster = raster::destination_rows;
  static constexpr int kElements = M * N, kSharedBytes = kElements * int(sizeof(T));

  using shared_layout = decltype(composition(swizzle_128<T>{}, destination_boxes<T, M, N>{}));
  using load_map = along_n < M, N, Threads, N_V, V, 32, N_V<8 ? N_V : 8>;

  template <class Block, class Map>
  CUTE_HOST_DEVICE static void run(Block& block, tma_args<T, Map> const& args) {
    auto* const boxes = block.template shared<T, kElements>();
    for_tile<tma_store>(block.index(), args, [&](auto const& source, auto const&, auto const& inside) {
      // Shift into the thread: its units of the tile.
      auto const tile = make_tensor(make_smem_ptr(boxes), shared_layout{});
      auto const from = part_of(source, load_map{}, block.thread(), _, _, _);
      auto const at = part_of(make_identity_tensor(source.shape()), load_map{}, block.thread(), _, _, _);

      // Load along source rows, exchange in shared memory.
      constexpr load_map map{};
      CUTE_UNROLL
      for (int step = 0; step < size<3>(load_map{}); ++step) {
        alignas(16) T rows[V][N_V];
        CUTE_UNROLL
        for (int r = 0; r < V; ++r) block.template global_load<N_V>(&from(0, r, step), rows[r], inside(at(0, r, step)));
        CUTE_UNROLL
        for (int c = 0; c < N_V; ++c) {
          alignas(16) T column[V];
          CUTE_UNROLL
          for (int r = 0; r < V; ++r) column[r] = rows[r][c];
          block.template shared_store<V>(&tile(map(block.thread(), c, 0, step)), column);
        }
      }

      block.fence_proxy_async();
      block.sync();

      // Store: boxes.
      if (block.thread() == 0) {
        auto const place = locate<tma_store>(block.index(), args);
        CUTE_UNROLL
        for (int box = 0; box < M / E; ++box)
          block.tma_store(args.destination_map, boxes + box * N * E, place.m * M + box * E, place.n * N, place.b);
        block.tma_commit();
        block.template tma_wait_read<0>();
      }
    });
  }
};

template <class T, variant Form>
struct program_of<rung::tma_store, T, Form>
    : std::type_identity<tma_store<T, Form.tile.rows, Form.tile.cols, Form.tile.threads, Form.tile.blocks, Form.widths.source>> {
};

}  // namespace cornerturn::tile
