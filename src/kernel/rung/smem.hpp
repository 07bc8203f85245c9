#pragma once

#include "kernel/rung/catalogue.hpp"
#include "tile/cut.hpp"
#include "tile/maps.hpp"

namespace cornerturn::tile {

// Layouts of an M x N tile in shared memory. `kContiguous` elements along n are contiguous, so one store can write them.

/// Source-major: a warp that loads a column has all its elements in one bank.
template <class T, int M, int N>
struct source_major {
  using type = Layout<Shape<Int<M>, Int<N>>, Stride<Int<N>, _1>>;
  static constexpr int kContiguous = kUnitBytes / int(sizeof(T));
};
/// Destination-major: a warp that stores a source row has all its elements in one bank.
template <class T, int M, int N>
struct destination_major {
  using type = Layout<Shape<Int<M>, Int<N>>, Stride<_1, Int<M>>>;
  static constexpr int kContiguous = 1;
};
/// Elements that share a bank.
template <class T>
constexpr int kBank = sizeof(T) < kBankBytes ? kBankBytes / int(sizeof(T)) : 1;

/// Each row is one bank longer (or one element, if that is wider than a bank), so that a column has all banks.
template <class T, int M, int N>
struct padded {
  using type = Layout<Shape<Int<M>, Int<N>>, Stride<Int<N + kBank<T>>, _1>>;
  static constexpr int kContiguous = kBank<T>;
};
/// The index of the bank is XORed with the row's, within the 128 bytes that one wavefront serves. Rows that share these 128 bytes
/// have different banks already, so they are XORed with the same number.
template <class T, int M, int N>
struct swizzled {
  static constexpr int kContiguous = kBank<T>;
  static constexpr int kWavefront = kWavefrontBytes / int(sizeof(T));  ///< elements
  static constexpr int kPeriod = N < kWavefront ? kWavefront : N;      ///< elements
  static constexpr int kBase = log2_of(kContiguous),
                       kBits = min(log2_of(kWavefront / kContiguous), min(log2_of(N) - kBase, log2_of(M * N / kPeriod)));
  using type = decltype(composition(Swizzle<kBits, kBase, log2_of(kPeriod) - kBase>{},
                                    Layout<Shape<Int<M>, Int<N>>, Stride<Int<N>, _1>>{}));
};

// A tile of 32 x 32 floats. The elements of column 5 are in bank 5 of source-major rows, in all banks of the other two layouts.
static_assert(source_major<float, 32, 32>::type{}(3, 5) == 3 * 32 + 5);
static_assert(padded<float, 32, 32>::type{}(3, 5) == 3 * 33 + 5 && (3 * 33 + 5) % 32 == 3 + 5);
static_assert(swizzled<float, 32, 32>::type{}(3, 5) == 3 * 32 + (5 ^ 3));

/// Transposes through shared memory, so that both global sides coalesce. The tile is loaded along source rows and stored along
/// destination rows. `Shared` is one of the layouts above. N_V and M_V are the elements of one global load and one global store.
template <class T, int M, int N, int Threads, class Shared, int N_V, int M_V>
struct smem {
  using shared_layout = typename Shared::type;
  static constexpr int kRows = M, kCols = N, kThreads = Threads, kBlocks = 1;
  static constexpr int kElements = cosize_v<shared_layout>, kSharedBytes = kElements * int(sizeof(T));
  static constexpr raster kRaster = raster::source_rows;

  /// Lanes side by side in a row: 8 with 16-byte vectors, 32 with single elements. With 4-byte elements both are 128 bytes.
  static constexpr int lanes(int vector) { return vector > 1 ? 8 : 32; }
  using load_map = along_n<M, N, Threads, N_V, 1, lanes(N_V)>;
  using store_map = along_m<M, N, Threads, M_V, lanes(M_V)>;
  static constexpr int kContiguous = Shared::kContiguous < N_V ? Shared::kContiguous : N_V;

  template <class Block>
  CUTE_HOST_DEVICE static void run(Block& block, matrices<T> const& args) {
    for_tile<smem>(block.index(), args, [&](auto const& source, auto const& destination, auto const& inside) {
      // Shapes and strides: the tile in shared memory, and its coordinates.
      auto const tile = make_tensor(make_smem_ptr(block.template shared<T, kElements>()), shared_layout{});
      auto const coordinates = make_identity_tensor(source.shape());

      // Load along source rows, exchange in shared memory.
      {
        auto const from = part_of(source, load_map{}, block.thread(), _, 0, _);
        auto const to = part_of(tile, load_map{}, block.thread(), _, 0, _);
        auto const at = part_of(coordinates, load_map{}, block.thread(), _, 0, _);
        constexpr int kSteps = size<3>(load_map{});
        alignas(16) T held[kSteps][N_V];
        CUTE_UNROLL
        for (int i = 0; i < kSteps; ++i) block.template global_load<N_V>(&from(0, i), held[i], inside(at(0, i)));
        CUTE_UNROLL
        for (int i = 0; i < kSteps; ++i) CUTE_UNROLL
        for (int v = 0; v < N_V; v += kContiguous) block.template shared_store<kContiguous>(&to(v, i), &held[i][v]);
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
          CUTE_UNROLL
          for (int v = 0; v < M_V; ++v) block.template shared_load<1>(&from(v, i), &held[v], active);
          block.template global_store<M_V>(&to(0, i), held, active);
        }
      }
    });
  }
};

/// The layout of an M x N tile in shared memory.
template <smem_layout Layout, class T, int M, int N>
constexpr auto select_layout() {
  if constexpr (Layout == smem_layout::source_major) {
    return source_major<T, M, N>{};
  } else if constexpr (Layout == smem_layout::destination_major) {
    return destination_major<T, M, N>{};
  } else if constexpr (Layout == smem_layout::padded) {
    return padded<T, M, N>{};
  } else {
    static_assert(Layout == smem_layout::swizzled);
    return swizzled<T, M, N>{};
  }
}

template <rung Rung, class T, variant Form>
requires(info_of(Rung).layout != smem_layout::none) struct program_of<Rung, T, Form>
    : std::type_identity<smem<T, Form.tile.rows, Form.tile.cols, Form.tile.threads,
                              decltype(select_layout<info_of(Rung).layout, T, Form.tile.rows, Form.tile.cols>()),
                              Form.widths.source, Form.widths.destination>> {
};

}  // namespace cornerturn::tile
