#pragma once

#include <type_traits>

#include "kernel/rung/catalogue.hpp"
#include "tile/cut.hpp"
#include "tile/maps.hpp"

namespace cornerturn::tile {

/// 16-byte vectors on both sides. A thread loads N_V consecutive elements of V rows, transposes them in registers, and stores
/// vectors of V elements into a destination-major tile. The tile's 16-byte units are XORed with the column, so that neither phase
/// has a bank conflict. The raster order follows the destination's rows, which is 3 % faster than the source's.
///
/// `Blocks` should fit on an SM at once, which limits the registers of a thread. A side whose rows are not aligned to vectors
/// accesses single elements (N_V or M_V is 1). Shared memory is accessed in vectors in any case.
template <class T, int M, int N, int Threads, int Blocks, int N_V, int M_V>
struct vec_both {
  static constexpr int V = 16 / int(sizeof(T));
  static constexpr int kRows = M, kCols = N, kThreads = Threads, kBlocks = Blocks;
  static constexpr int kElements = M * N, kSharedBytes = kElements * int(sizeof(T));
  static constexpr raster kRaster = raster::destination_rows;

  /// The eight lanes that share a wavefront of shared-memory stores are N_V columns apart. A unit is XORed with the index of the
  /// lane among these eight.
  using shared_layout = decltype(composition(Swizzle<3, log2_of(V), log2_of(M) - log2_of(V) + log2_of(N_V)>{},
                                             Layout<Shape<Int<M>, Int<N>>, Stride<_1, Int<M>>>{}));
  using load_map = along_n<M, N, Threads, N_V, V>;
  using store_map = along_m<M, N, Threads, M_V>;

  template <class Block>
  CUTE_HOST_DEVICE static void run(Block& block, matrices<T> const& args) {
    for_tile<vec_both>(block.index(), args, [&](auto const& source, auto const& destination, auto const& inside) {
      // Shapes and strides: the tile in shared memory, and its coordinates.
      auto const tile = make_tensor(make_smem_ptr(block.template shared<T, kElements>()), shared_layout{});
      auto const coordinates = make_identity_tensor(source.shape());

      // Load along source rows, exchange in shared memory.
      {
        auto const from = part_of(source, load_map{}, block.thread(), _, _, _);
        auto const to = part_of(tile, load_map{}, block.thread(), _, _, _);
        auto const at = part_of(coordinates, load_map{}, block.thread(), _, _, _);
        CUTE_UNROLL
        for (int unit = 0; unit < size<3>(load_map{}); ++unit) {
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
        }
      }

      block.sync();

      // Store along destination rows.
      {
        auto const from = part_of(tile, store_map{}, block.thread(), _, _);
        auto const to = part_of(destination, store_map{}, block.thread(), _, _);
        auto const at = part_of(coordinates, store_map{}, block.thread(), _, _);
        CUTE_UNROLL
        for (int i = 0; i < size<2>(store_map{}); ++i) {
          alignas(16) T held[M_V];
          bool const active = inside(at(0, i));
          block.template shared_load<M_V>(&from(0, i), held, active);
          block.template global_store<M_V>(&to(0, i), held, active);
        }
      }
    });
  }
};

// A tile of 32 x 32 floats. Row 5 of column 9 is element 1 of unit 1. The unit is XORed with 9 / 4, so the element is at row 13.
static_assert(vec_both<float, 32, 32, 64, 1, 4, 4>::shared_layout{}(5, 9) == (1 ^ 2) * 4 + 1 + 9 * 32);

template <class T, variant Form>
struct program_of<rung::vec_both, T, Form>
    : std::type_identity<vec_both<T, Form.tile.rows, Form.tile.cols, Form.tile.threads, Form.tile.blocks, Form.widths.source,
                                  Form.widths.destination>> {};

}  // namespace cornerturn::tile
