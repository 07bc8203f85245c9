#pragma once

#include <type_traits>

#include "kernel/rung/catalogue.hpp"
#include "tile/boxes.hpp"

namespace cornerturn::tile {

/// TMA on both sides. TMA loads boxes of source rows, threads transpose them into boxes of destination rows, square by square in
/// registers, and TMA stores these. `Arrangement` (tile/boxes.hpp) decides whether the squares have bank conflicts.
///
/// A block moves `Tiles` tiles one after another. While it transposes one, TMA loads the next and stores the last.
template <class T, int M, int N, int Threads, int Blocks, int Tiles, class Arrangement>
struct tma {
  static constexpr int V = Arrangement::kSquare, E = kBoxCols<T>;
  static constexpr int kRows = M, kCols = N, kThreads = Threads, kBlocks = Blocks;
  static constexpr int kSourceBoxRows = M, kDestinationBoxRows = N;
  static constexpr operation kOperation = operation::transpose;
  static constexpr raster kRaster = raster::destination_rows;
  static constexpr int kElements = M * N, kTileBytes = kElements * int(sizeof(T));
  static constexpr int kStages = Tiles > 1 ? 2 : 1;  ///< tiles in shared memory per side
  static constexpr int kBarriersAt = 2 * kStages * kTileBytes, kSharedBytes = kBarriersAt + kStages * kBarrierBytes;

  using source_layout = typename Arrangement::source_layout;
  using destination_layout = typename Arrangement::destination_layout;
  using map = typename Arrangement::map;
  static constexpr bool kSwizzled = Arrangement::kSwizzled;

  template <class Block, class Map>
  CUTE_HOST_DEVICE static void run(Block& block, tma_args<T, Map> const& args) {
    // Shift into the block: its tiles, and a barrier per stage.
    auto* const arrived = block.template shared<typename Block::mbarrier, kStages>(kBarriersAt);
    bool const elected = block.thread() == 0;
    std::int64_t const first = block.index() * Tiles;

    // Load: the boxes of tile i.
    auto const load = [&](int i) {
      if (i >= Tiles) return;
      auto const at = locate<tma>(first + i, args);
      if (!at.exists) return;
      auto* const to = block.template shared<T, kElements>(i % kStages * kTileBytes);
      block.mbarrier_arrive_expect_tx(arrived[i % kStages], kTileBytes);
      CUTE_UNROLL
      for (int box = 0; box < N / E; ++box)
        block.tma_load(args.source_map, to + box * M * E, at.n * N + box * E, at.m * M, at.b, arrived[i % kStages]);
    };

    // Start: the first tiles are under way.
    if (elected) {
      for (int stage = 0; stage < kStages; ++stage) block.mbarrier_init(arrived[stage]);
      block.fence_barrier_init();
      for (int i = 0; i < kStages; ++i) load(i);
    }
    block.sync();

    CUTE_NO_UNROLL
    for (int i = 0; i < Tiles; ++i) {
      auto const at = locate<tma>(first + i, args);
      if (!at.exists) break;
      auto* const out = block.template shared<T, kElements>((kStages + i % kStages) * kTileBytes);
      auto const from =
          make_tensor(make_smem_ptr(block.template shared<T, kElements>(i % kStages * kTileBytes)), source_layout{});
      auto const to = make_tensor(make_smem_ptr(out), destination_layout{});

      // Wait until tile i has arrived, and until the boxes of tile i - kStages have left.
      block.mbarrier_wait(arrived[i % kStages], i / kStages % 2);
      if (i >= kStages) {
        if (elected) block.template tma_wait_read<kStages - 1>();
        block.sync();
      }

      // Exchange: source boxes become destination boxes.
      constexpr typename Arrangement::map map{};
      CUTE_UNROLL
      for (int step = 0; step < size<3>(map); ++step) {
        int const unit = map(block.thread(), 0, 0, step);
        alignas(16) T rows[V][V];
        CUTE_UNROLL
        for (int r = 0; r < V; ++r) block.template shared_load<V>(&from(unit + r), rows[r]);
        CUTE_UNROLL
        for (int c = 0; c < V; ++c) {
          alignas(16) T column[V];
          CUTE_UNROLL
          for (int r = 0; r < V; ++r) column[r] = rows[r][c];
          block.template shared_store<V>(&to(unit + c * M), column);
        }
      }

      block.fence_proxy_async();
      block.sync();

      // Store: boxes; then load another tile over the one that has been read.
      if (elected) {
        CUTE_UNROLL
        for (int box = 0; box < M / E; ++box)
          block.tma_store(args.destination_map, out + box * N * E, at.m * M + box * E, at.n * N, at.b);
        block.tma_commit();
        load(i + kStages);
      }
    }
    if (elected) block.template tma_wait_read<0>();
  }
};

template <class T, variant Form>
struct program_of<rung::tma_conflict, T, Form>
    : std::type_identity<tma<T, Form.tile.rows, Form.tile.cols, Form.tile.threads, Form.tile.blocks, Form.tile.tiles,
                             unswizzled<T, Form.tile.rows, Form.tile.cols, Form.tile.threads>>> {};

template <class T, variant Form>
struct program_of<rung::tma, T, Form>
    : std::type_identity<tma<T, Form.tile.rows, Form.tile.cols, Form.tile.threads, Form.tile.blocks, Form.tile.tiles,
                             diagonal<T, Form.tile.rows, Form.tile.cols, Form.tile.threads>>> {};

}  // namespace cornerturn::tile
