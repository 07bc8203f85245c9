#pragma once

#include <type_traits>

#include "kernel/rung/catalogue.hpp"
#include "tile/boxes.hpp"

namespace cornerturn::tile {

/// The ceiling of TMA: a block loads boxes into shared memory and stores them unchanged.
template <class T, int M, int N, int Threads>
struct copy_tma {
  static constexpr int E = kBoxCols<T>;
  static constexpr int kRows = M, kCols = N, kThreads = Threads, kBlocks = 1;
  static constexpr int kSourceBoxRows = M, kDestinationBoxRows = M;
  static constexpr bool kSwizzled = false;
  static constexpr operation kOperation = operation::copy;
  static constexpr raster kRaster = raster::source_rows;
  static constexpr int kElements = M * N, kTileBytes = kElements * int(sizeof(T));
  static constexpr int kBarriersAt = kTileBytes, kSharedBytes = kBarriersAt + kBarrierBytes;

  template <class Block, class Map>
  CUTE_HOST_DEVICE static void run(Block& block, tma_args<T, Map> const& args) {
    // Shift into the block: the coordinates of its tile.
    auto const at = locate<copy_tma>(block.index(), args);
    if (!at.exists) return;
    auto* const tile = block.template shared<T, kElements>();
    auto& arrived = *block.template shared<typename Block::mbarrier, 1>(kBarriersAt);
    bool const elected = block.thread() == 0;

    // Load: boxes.
    if (elected) {
      block.mbarrier_init(arrived);
      block.fence_barrier_init();
      block.mbarrier_arrive_expect_tx(arrived, kTileBytes);
      CUTE_UNROLL
      for (int box = 0; box < N / E; ++box)
        block.tma_load(args.source_map, tile + box * M * E, at.n * N + box * E, at.m * M, at.b, arrived);
    }
    block.sync();
    block.mbarrier_wait(arrived, 0);

    // Store: the same boxes.
    if (elected) {
      CUTE_UNROLL
      for (int box = 0; box < N / E; ++box)
        block.tma_store(args.destination_map, tile + box * M * E, at.n * N + box * E, at.m * M, at.b);
      block.tma_commit();
      block.template tma_wait_read<0>();
    }
  }
};

template <class T, variant Form>
struct program_of<rung::copy_tma, T, Form> : std::type_identity<copy_tma<T, Form.tile.rows, Form.tile.cols, Form.tile.threads>> {
};

}  // namespace cornerturn::tile
