#pragma once

#include "kernel/swap/swap.hpp"

namespace cornerturn::tile {

/// Swaps two tiles of runs across the diagonal, or of squares that are much smaller than a tile of `swap`. A thread loads an
/// element of one tile and its counterpart of the other tile, and stores each in the place of the other. Consecutive threads
/// follow the runs and rows of the first tile; in the second tile they follow the runs alone.
template <class T>
struct swap_runs {
  static constexpr bool kOverlaps = true;
  static constexpr int kThreads = kSwapRunsThreads, kBlocks = 4, kSharedBytes = 0;
  static constexpr int kUnrolled = swap_runs_unrolled(int(sizeof(T)));

  template <class Block>
  CUTE_HOST_DEVICE static void run(Block& block, swap_args<T> const& args) {
    swap_job const& job = args.job;
    tile_pair const pair(job, int(block.index()));
    int const side = job.tile_runs.divisor, elements = job.tile_squares * side * side * job.tile_part.divisor;
    CORNERTURN_NO_UNROLL
    for (int first = 0; first < elements; first += kUnrolled * kThreads) {
      // Shift into the block: a thread's elements of both tiles.
      T *above[kUnrolled], *below[kUnrolled];
      T held_above[kUnrolled], held_below[kUnrolled];
      bool active[kUnrolled];
      CUTE_UNROLL
      for (int i = 0; i < kUnrolled; ++i) {
        int const number = first + i * kThreads + block.thread();
        int element, column, row, square;
        job.tile_part(square, element, number);
        job.tile_runs(square, column, square);
        job.tile_runs(square, row, square);
        square += pair.group * job.tile_squares;
        std::int64_t const r = pair.row * std::int64_t(side) + row, c = pair.column * std::int64_t(side) + column,
                           e = pair.part * std::int64_t(job.tile_part.divisor) + element;
        active[i] = number < elements && square < job.squares && r < c && c < job.extent && e < job.run;
        T* const runs = args.data + (job.square_offset(square) + e);
        above[i] = runs + (r * job.pitch + c * job.run);
        below[i] = runs + (c * job.pitch + r * job.run);
      }

      // Load.
      CUTE_UNROLL
      for (int i = 0; i < kUnrolled; ++i) {
        block.template global_load<1>(above[i], &held_above[i], active[i]);
        block.template global_load<1>(below[i], &held_below[i], active[i]);
      }

      // Store: each element in the place of its counterpart.
      CUTE_UNROLL
      for (int i = 0; i < kUnrolled; ++i) {
        block.template global_store<1>(above[i], &held_below[i], active[i]);
        block.template global_store<1>(below[i], &held_above[i], active[i]);
      }
    }
  }
};

}  // namespace cornerturn::tile
