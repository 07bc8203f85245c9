#pragma once

#include <type_traits>

#include "kernel/rung/catalogue.hpp"
#include "tile/cut.hpp"
#include "tile/maps.hpp"

namespace cornerturn::tile {

/// Transposes without shared memory. A thread loads N_V consecutive elements of M_V rows, transposes them in registers, and
/// stores M_V consecutive elements of N_V destination rows. A warp has four threads below each other and eight side by side,
/// which is the fastest shape: its vectors fill whole sectors on both sides. A thread repeats this until the block has moved its
/// tile.
template <class T, int M, int N, int Threads, int Blocks, int N_V, int M_V>
struct registers {
  static constexpr int kRows = M, kCols = N, kThreads = Threads, kBlocks = Blocks, kSharedBytes = 0;
  static constexpr raster kRaster = raster::destination_rows;
  using map = along_n<M, N, Threads, N_V, M_V, 32, 4>;

  template <class Block>
  CUTE_HOST_DEVICE static void run(Block& block, matrices<T> const& args) {
    for_tile<registers>(block.index(), args, [&](auto const& source, auto const& destination, auto const& inside) {
      // Shift into the thread: its pieces of the tile.
      auto const from = part_of(source, map{}, block.thread(), _, _, _);
      auto const to = part_of(destination, map{}, block.thread(), _, _, _);
      auto const at = part_of(make_identity_tensor(source.shape()), map{}, block.thread(), _, _, _);
      constexpr int kSteps = size<3>(map{});

      // Load: rows of all pieces.
      alignas(16) T held[kSteps][M_V][N_V];
      CUTE_UNROLL
      for (int i = 0; i < kSteps; ++i) CUTE_UNROLL
      for (int r = 0; r < M_V; ++r) block.template global_load<N_V>(&from(0, r, i), held[i][r], inside(at(0, r, i)));

      // Store: columns of the pieces.
      CUTE_UNROLL
      for (int i = 0; i < kSteps; ++i) CUTE_UNROLL
      for (int c = 0; c < N_V; ++c) {
        alignas(16) T column[M_V];
        CUTE_UNROLL
        for (int r = 0; r < M_V; ++r) column[r] = held[i][r][c];
        block.template global_store<M_V>(&to(c, 0, i), column, inside(at(c, 0, i)));
      }
    });
  }
};

template <class T, variant Form>
struct program_of<rung::registers, T, Form>
    : std::type_identity<registers<T, Form.tile.rows, Form.tile.cols, Form.tile.threads, Form.tile.blocks, Form.widths.source,
                                   Form.widths.destination>> {};

}  // namespace cornerturn::tile
