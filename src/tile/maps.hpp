#pragma once

#include <cute/tensor.hpp>

namespace cornerturn::tile {

using namespace cute;

constexpr int min(int a, int b) { return a < b ? a : b; }
constexpr int log2_of(int x) { return x <= 1 ? 0 : 1 + log2_of(x / 2); }

// Thread-value layouts: they map (thread, values..., step) to an element of an M x N tile, whose index counts along M first.

/// Threads along source rows. Up to `Lanes` threads are side by side in a source row, and each has N_V consecutive elements of
/// M_V rows. The first `Stacked` threads are one below the other. Further threads are below these until the tile ends, then
/// beside them. The block repeats this in steps over the tile. Modes: (thread, N_V, M_V, step).
template <int M, int N, int Threads, int N_V, int M_V, int Lanes, int Stacked>
struct along_n_map {
  static constexpr int kAcross = min(Lanes / Stacked, N / N_V), kDown = min(Threads / kAcross / Stacked, M / M_V / Stacked),
                       kBeside = Threads / kAcross / Stacked / kDown;
  static constexpr int kRows = M_V * Stacked * kDown, kCols = N_V * kAcross * kBeside;
  static_assert(Stacked * kAcross * kDown * kBeside == Threads && M % kRows == 0 && N % kCols == 0,
                "the threads of a block must cover the tile evenly");
  using type = Layout<Shape<Shape<Int<Stacked>, Int<kAcross>, Int<kDown>, Int<kBeside>>, Int<N_V>, Int<M_V>,
                            Shape<Int<M / kRows>, Int<N / kCols>>>,
                      Stride<Stride<Int<M_V>, Int<N_V * M>, Int<M_V * Stacked>, Int<kAcross * N_V * M>>, Int<M>, _1,
                             Stride<Int<kRows>, Int<kCols * M>>>>;
};
template <int M, int N, int Threads, int N_V, int M_V = 1, int Lanes = 32, int Stacked = 1>
using along_n = typename along_n_map<M, N, Threads, N_V, M_V, Lanes, Stacked>::type;

// Eight threads of four elements fill a row of 32. Thread 9 begins row 1 at column 4; its element 1 is in column 5.
static_assert(along_n<32, 32, 256, 4>{}(9, 1, 0, 0) == 1 + 5 * 32);

/// Threads along destination rows. Up to `Lanes` threads are side by side in a destination row, and each has M_V consecutive
/// elements of it. Modes: (thread, M_V, step).
template <int M, int N, int Threads, int M_V, int Lanes>
struct along_m_map {
  static constexpr int kAcross = Lanes * M_V < M ? Lanes : M / M_V, kDown = Threads / kAcross;
  static_assert(M % (kAcross * M_V) == 0 && N % kDown == 0, "the threads of a block must cover the tile evenly");
  using type = Layout<Shape<Shape<Int<kAcross>, Int<kDown>>, Int<M_V>, Shape<Int<M / (kAcross * M_V)>, Int<N / kDown>>>,
                      Stride<Stride<Int<M_V>, Int<M>>, _1, Stride<Int<kAcross * M_V>, Int<kDown * M>>>>;
};
template <int M, int N, int Threads, int M_V, int Lanes = 32>
using along_m = typename along_m_map<M, N, Threads, M_V, Lanes>::type;

// Eight threads of four elements fill a column of 32. Thread 9 begins column 1 at row 4; its element 1 is in row 5.
static_assert(along_m<32, 32, 256, 4>{}(9, 1, 0) == 5 + 1 * 32);

/// The part of a tile that a thread moves: a function of the coordinates that are left of a thread-value layout's.
template <class Tile, class Values>
struct part {
  Tile tile;
  Values values;  ///< the layout that is left
  int offset;     ///< of its first element

  decltype(auto) operator()(auto... at) const { return tile(offset + values(at...)); }
};

/// The tile composed with a thread-value layout, sliced at these coordinates. On the host it is a `part`: the same elements
/// without the composed layouts, which take a compiler long.
template <class Tile, class Map>
CUTE_HOST_DEVICE auto part_of(Tile const& tile, Map const& map, auto const&... coordinates) {
#ifdef __CUDACC__
  return tile.compose(map)(coordinates...);
#else
  auto const [values, offset] = slice_and_offset(make_coord(coordinates...), map);
  return part<Tile, std::remove_cvref_t<decltype(values)>>{tile, values, int(offset)};
#endif
}

}  // namespace cornerturn::tile
