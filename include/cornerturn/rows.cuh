#pragma once

// Tiles of matrices whose rows a block of your own kernel loads into shared memory in a mode of TMA (docs/tile.md). Like
// tile.cuh, which it includes, the header is compiled as C++17 by nvcc, by NVRTC and, on the host, by other compilers.

#include <cornerturn/tile.cuh>

#ifdef __CUDACC__
#define CORNERTURN_BOTH __host__ __device__ __forceinline__
#else
#define CORNERTURN_BOTH inline
#endif
#ifdef __CUDA_ARCH__
#define CORNERTURN_TILE_UNROLL _Pragma("unroll")
#define CORNERTURN_TILE_UNROLL_8 _Pragma("unroll 8")
#else
#define CORNERTURN_TILE_UNROLL
#define CORNERTURN_TILE_UNROLL_8
#endif
namespace cornerturn {
namespace tile {
namespace detail {
template <class Mode>
constexpr bool kIsModeOfTma =
    Mode::swizzle.base == 4 && Mode::swizzle.shift == 3 && Mode::column_bytes == 16 << Mode::swizzle.bits;
}  // namespace detail

/// The matrix descriptor with which wgmma reads an operand whose rows in a mode of TMA are along k: those of a `row_tile`, or the
/// columns of a `tile_transpose`. `address` is that of row 0 in shared memory, and of an element along k at a multiple of 32
/// bytes within a row.
template <class Mode>
CORNERTURN_BOTH constexpr unsigned long long matrix_descriptor(unsigned address) {
  static_assert(detail::kIsModeOfTma<Mode>, "the mode must be tma_32, tma_64 or tma_128");
  // In units of 16 bytes the address, 1, and eight rows; modes of 128, 64 and 32 bytes are 1, 2 and 3.
  return (address & 0x3ffff) >> 4 | 1ULL << 16 | 8ULL * Mode::column_bytes / 16 << 32 | (4ULL - Mode::swizzle.bits) << 62;
}
}  // namespace tile

/// A tile of `Rows` rows and `Columns` columns that a block of `Threads` threads loads into shared memory, row after row, where
/// elements have type T. A row has the 32, 64 or 128 bytes of `Mode`, `tile::tma_32`, `tma_64` or `tma_128`, so that TMA and
/// wgmma read the tile, or `tile::load_transposed` without bank conflicts. Its shared memory is aligned to eight rows. A multiple
/// of 128 bytes is divided into boxes of 128 bytes of all rows, one after another.
template <class T, int Rows, int Columns, int Threads, class Mode>
class row_tile {
  static_assert(tile::detail::kIsModeOfTma<Mode>, "the mode must be tma_32, tma_64 or tma_128");
  static_assert(sizeof(T) <= 16 && (sizeof(T) & (sizeof(T) - 1)) == 0, "an element must have 1, 2, 4, 8 or 16 bytes");
  static_assert(Rows >= 1 && Columns >= 1 && 1LL * Rows * Columns * sizeof(T) <= 227 << 10,
                "the tile must have elements, and fit into a block's shared memory, 227 KiB");
  static constexpr int kRowBytes = Columns * int(sizeof(T));
  static_assert(kRowBytes == Mode::column_bytes || (Mode::column_bytes == 128 && kRowBytes % 128 == 0 && Rows % 8 == 0),
                "a row must have the bytes of TMA's mode; of tma_128, also a multiple in a tile of a multiple of 8 rows");
  static_assert(Threads >= 32 && Threads <= 1024 && Threads % 32 == 0, "Threads must be a multiple of 32 from 32 to 1024");
  static constexpr int kVector = 16 / int(sizeof(T)), kBox = Mode::column_bytes / int(sizeof(T));  // elements

 public:
  /// Bytes of shared memory.
  static constexpr int shared_bytes = Rows * kRowBytes;

  /// The element of shared memory that has an element of the tile.
  CORNERTURN_BOTH static constexpr int offset(int row, int column) {
    constexpr tile::xor_swizzle kSwizzle = Mode::swizzle;
    int const box = Columns == kBox ? 0 : column / kBox, at = (box * Rows + row) * kBox + column - box * kBox;
    return at ^ kSwizzle.change(at * int(sizeof(T))) / int(sizeof(T));
  }
  /// The tile's shared memory.
  template <class Context>
  CORNERTURN_BOTH static T* data(Context const& context) {
    return context.template shared<T, Rows * Columns>();
  }

  /// Loads a tile as `tile_transpose::load` does, but without transposing it. It can be read after `context.sync()`.
  template <class Context, class S, class Operation = tile::detail::identity>
  CORNERTURN_BOTH static void load(Context& context, S const* from, long long pitch, tile::bounds bounds,
                                   Operation const& operation = {}) {
    if (tile::detail::is_whole<kVector>(from, pitch, bounds, {Rows, Columns}))
      load_units<kVector>(context, from, pitch, bounds, operation);
    else
      load_units<1>(context, from, pitch, bounds, operation);
  }

 private:
  template <int Count, class Context, class S, class Operation>
  CORNERTURN_BOTH static void load_units(Context& context, S const* from, long long pitch, tile::bounds bounds,
                                         Operation const& operation) {
    constexpr int kUnits = Columns / Count, kPiece = tile::detail::piece_of<S>(Count);
    CORNERTURN_TILE_UNROLL_8
    for (int i = context.thread(); i < Rows * kUnits; i += Threads) {
      int const row = i / kUnits, column = i % kUnits * Count;
      bool const active = row < bounds.rows && column < bounds.columns;
      alignas(16) S held[Count] = {};
      alignas(16) T results[Count];
      CORNERTURN_TILE_UNROLL
      for (int c = 0; c < Count; c += kPiece)
        context.template global_load<kPiece>(from + row * pitch + column + c, &held[c], active);
      CORNERTURN_TILE_UNROLL
      for (int c = 0; c < Count; ++c) results[c] = active ? T(tile::detail::apply(operation, held[c], row, column + c, 0)) : T{};
      context.template shared_store<Count>(data(context) + offset(row, column), results);
    }
  }
};

}  // namespace cornerturn
#undef CORNERTURN_BOTH
#undef CORNERTURN_TILE_UNROLL
#undef CORNERTURN_TILE_UNROLL_8
