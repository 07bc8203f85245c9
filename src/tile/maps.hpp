#pragma once

#include <cute/tensor.hpp>

namespace cornerturn::tile {

using namespace cute;

constexpr int log2_of(int x) { return x <= 1 ? 0 : 1 + log2_of(x / 2); }

/// Who holds what: thread-value layouts from (thread, values..., step) to a tile's elements, counted along its M rows first.
///
/// In `along_n` up to `Lanes` threads stand side by side in a source row, each with N_V consecutive elements of it and the same
/// of M_V rows; the block repeats this in steps over the tile. Modes: (thread, N_V, M_V, step).
template <int M, int N, int Threads, int N_V, int M_V, int Lanes>
struct along_n_map {
  static constexpr int kAcross = Lanes * N_V < N ? Lanes : N / N_V, kDown = Threads / kAcross;
  static_assert(N % (kAcross * N_V) == 0 && M % (kDown * M_V) == 0, "the block's threads must tile the tile");
  using type =
      Layout<Shape<Shape<Int<kAcross>, Int<kDown>>, Int<N_V>, Int<M_V>, Shape<Int<M / (kDown * M_V)>, Int<N / (kAcross * N_V)>>>,
             Stride<Stride<Int<N_V * M>, Int<M_V>>, Int<M>, _1, Stride<Int<kDown * M_V>, Int<kAcross * N_V * M>>>>;
};
template <int M, int N, int Threads, int N_V, int M_V = 1, int Lanes = 32>
using along_n = typename along_n_map<M, N, Threads, N_V, M_V, Lanes>::type;

/// The dual: threads side by side in a destination row, each with M_V consecutive elements of it. Modes: (thread, M_V, step).
template <int M, int N, int Threads, int M_V, int Lanes>
struct along_m_map {
  static constexpr int kAcross = Lanes * M_V < M ? Lanes : M / M_V, kDown = Threads / kAcross;
  static_assert(M % (kAcross * M_V) == 0 && N % kDown == 0, "the block's threads must tile the tile");
  using type = Layout<Shape<Shape<Int<kAcross>, Int<kDown>>, Int<M_V>, Shape<Int<M / (kAcross * M_V)>, Int<N / kDown>>>,
                      Stride<Stride<Int<M_V>, Int<M>>, _1, Stride<Int<kAcross * M_V>, Int<kDown * M>>>>;
};
template <int M, int N, int Threads, int M_V, int Lanes = 32>
using along_m = typename along_m_map<M, N, Threads, M_V, Lanes>::type;

}  // namespace cornerturn::tile
