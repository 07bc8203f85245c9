#pragma once

#include <cstring>
#include <type_traits>

#include "cornerturn/exchange.cuh"
#include "kernel/rung/catalogue.hpp"
#include "tile/cut.hpp"
#include "tile/maps.hpp"

namespace cornerturn::tile {

/// Transposes without shared memory, by shuffles. Up to 32 lanes of a warp hold a square of kLanes x kLanes pieces of W x W
/// elements. First each lane has a column of pieces, and at the end a row of pieces. For s = kLanes / 2, ..., 1, two lanes whose
/// indices differ in bit s swap half of their pieces (the butterfly of Eklundh, 1972). For example, with four lanes
/// lane 0 gives its pieces 2 and 3 to lane 2 for pieces 0 and 1, then pieces 1 and 3 to lane 1 for pieces 0 and 2. Both sides
/// coalesce, even if neither has aligned vectors. The elements of a piece are transposed in its lane's registers.
template <class T, int M, int N, int Threads, int Blocks, int W>
struct register_shuffle {
  static constexpr int kRows = M, kCols = N, kThreads = Threads, kBlocks = Blocks, kSharedBytes = 0;
  static constexpr raster kRaster = raster::destination_rows;
  static constexpr int kLanes = M * N / (Threads * W * W), kSide = kLanes * W, kAcross = N / kSide, kDown = M / kSide;
  static_assert(kAcross * kDown * kLanes == Threads, "each group of lanes moves one square");

  /// Modes: (thread, elements along the access, rows of a piece, piece).
  using groups = Shape<Int<kLanes>, Int<kDown>, Int<kAcross>>;
  using load_map = Layout<Shape<groups, Int<W>, Int<W>, Int<kLanes>>,
                          Stride<Stride<Int<W * M>, Int<kSide>, Int<kSide * M>>, Int<M>, _1, Int<W>>>;
  using store_map = Layout<Shape<groups, Int<W>, Int<W>, Int<kLanes>>,
                           Stride<Stride<Int<W>, Int<kSide>, Int<kSide * M>>, _1, Int<M>, Int<W * M>>>;

  /// A piece as words, which shuffles exchange. Single bytes are packed into words. Single elements of 2 bytes have a word each:
  /// on an H200, packed ones are slower by a tenth, although they take half of the shuffles.
  static constexpr int kPieceBytes = W * W * int(sizeof(T));
  using word = std::conditional_t<kPieceBytes == 1, T, std::uint32_t>;
  struct piece {
    word words[(kPieceBytes + sizeof(word) - 1) / sizeof(word)];
  };

  template <class Block>
  CUTE_HOST_DEVICE static void run(Block& block, matrices<T> const& args) {
    for_tile<register_shuffle>(block.index(), args, [&](auto const& source, auto const& destination, auto const& inside) {
      auto const coordinates = make_identity_tensor(source.shape());
      piece held[kLanes] = {};

      // Load: a column of pieces for each lane.
      {
        auto const from = part_of(source, load_map{}, block.thread(), _, _, _);
        auto const at = part_of(coordinates, load_map{}, block.thread(), _, _, _);
        alignas(16) T rows[kLanes][W][W];
        CUTE_UNROLL
        for (int i = 0; i < kLanes; ++i) CUTE_UNROLL
        for (int r = 0; r < W; ++r) block.template global_load<W>(&from(0, r, i), rows[i][r], inside(at(0, r, i)));
        CUTE_UNROLL
        for (int i = 0; i < kLanes; ++i) std::memcpy(held[i].words, rows[i], kPieceBytes);
      }

      // Exchange by shuffles: a column of pieces becomes a row of pieces.
      exchange(block, held);

      // Store: pieces, each transposed in registers.
      {
        auto const to = part_of(destination, store_map{}, block.thread(), _, _, _);
        auto const at = part_of(coordinates, store_map{}, block.thread(), _, _, _);
        alignas(16) T rows[kLanes][W][W];
        CUTE_UNROLL
        for (int i = 0; i < kLanes; ++i) std::memcpy(rows[i], held[i].words, kPieceBytes);
        CUTE_UNROLL
        for (int i = 0; i < kLanes; ++i) CUTE_UNROLL
        for (int c = 0; c < W; ++c) {
          alignas(16) T column[W];
          CUTE_UNROLL
          for (int r = 0; r < W; ++r) column[r] = rows[i][r][c];
          block.template global_store<W>(&to(0, c, i), column, inside(at(0, c, i)));
        }
      }
    });
  }
};

template <class T, variant Form>
struct program_of<rung::register_shuffle, T, Form>
    : std::type_identity<
          register_shuffle<T, Form.tile.rows, Form.tile.cols, Form.tile.threads, Form.tile.blocks, Form.widths.source>> {};

}  // namespace cornerturn::tile
