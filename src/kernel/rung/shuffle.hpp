#pragma once

#include <cstring>

#include "tile/cut.hpp"
#include "tile/maps.hpp"

namespace cornerturn::tile {

/// No shared memory, second form: up to 32 threads of a warp hold a square of kLanes x kLanes pieces of W x W elements, a column
/// of pieces each, and exchange them until each has a row of pieces: in step s, for s = kLanes / 2, ..., 1, two lanes whose
/// numbers differ in s swap half of what they hold (the butterfly of Eklundh, 1972). Both sides then coalesce even where no side
/// takes vectors. A piece's own elements are transposed in its thread's registers.
template <class T, int M, int N, int Threads, int W>
struct shuffle {
  static constexpr int kRows = M, kCols = N, kThreads = Threads, kBlocks = 1, kSharedBytes = 0;
  static constexpr raster kRaster = raster::destination_rows;
  static constexpr int kLanes = M * N / (Threads * W * W), kSide = kLanes * W, kAcross = N / kSide, kDown = M / kSide;
  static_assert(kAcross * kDown * kLanes == Threads, "each group of lanes moves one square");

  /// Modes: (thread, elements along the access, rows of a piece, piece).
  using groups = Shape<Int<kLanes>, Int<kDown>, Int<kAcross>>;
  using load_map = Layout<Shape<groups, Int<W>, Int<W>, Int<kLanes>>,
                          Stride<Stride<Int<W * M>, Int<kSide>, Int<kSide * M>>, Int<M>, _1, Int<W>>>;
  using store_map = Layout<Shape<groups, Int<W>, Int<W>, Int<kLanes>>,
                           Stride<Stride<Int<W>, Int<kSide>, Int<kSide * M>>, _1, Int<M>, Int<W * M>>>;

  /// The i-th number without the bit s.
  static constexpr int lower(int i, int s) { return i / s * 2 * s + i % s; }

  /// A piece as the shuffle moves it.
  static constexpr int kPieceBytes = W * W * int(sizeof(T));
  using word = std::conditional_t<kPieceBytes % 4 == 0, std::uint32_t, T>;
  struct piece {
    word words[kPieceBytes / sizeof(word)];
  };

  template <class Block>
  CUTE_HOST_DEVICE static void run(Block& block, matrices<T> const& args) {
    for_tile<shuffle>(block.index(), args, [&](auto const& source, auto const& destination, auto const& inside) {
      auto const coordinates = make_identity_tensor(source.shape());
      piece held[kLanes];

      {
        auto const from = source.compose(load_map{})(block.thread(), _, _, _);
        auto const at = coordinates.compose(load_map{})(block.thread(), _, _, _);
        alignas(16) T rows[kLanes][W][W];
        CUTE_UNROLL
        for (int i = 0; i < kLanes; ++i) CUTE_UNROLL
        for (int r = 0; r < W; ++r) block.template global_load<W>(&from(0, r, i), rows[i][r], inside(at(0, r, i)));
        std::memcpy(held, rows, sizeof(held));
      }

      CUTE_UNROLL
      for (int s = kLanes / 2; s > 0; s /= 2) {
        bool const upper = block.thread() & s;
        piece given[kLanes / 2];
        CUTE_UNROLL
        for (int i = 0; i < kLanes / 2; ++i) given[i] = upper ? held[lower(i, s)] : held[lower(i, s) + s];
        block.shfl_xor(given, s);
        CUTE_UNROLL
        for (int i = 0; i < kLanes / 2; ++i) {
          held[lower(i, s)] = upper ? given[i] : held[lower(i, s)];
          held[lower(i, s) + s] = upper ? held[lower(i, s) + s] : given[i];
        }
      }

      {
        auto const to = destination.compose(store_map{})(block.thread(), _, _, _);
        auto const at = coordinates.compose(store_map{})(block.thread(), _, _, _);
        alignas(16) T rows[kLanes][W][W];
        std::memcpy(rows, held, sizeof(held));
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

}  // namespace cornerturn::tile
