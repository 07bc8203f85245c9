#pragma once

#include "tile/cut.hpp"
#include "tile/maps.hpp"

namespace cornerturn::tile {

/// The ceiling: each thread moves V consecutive elements of a row straight across, as one vector; where the row ends within them,
/// one by one.
template <class T, int Threads, int V>
struct copy {
  static constexpr int kRows = 1, kCols = Threads * V, kThreads = Threads, kBlocks = 1, kSharedBytes = 0;
  static constexpr walk kWalk = walk::source_rows;
  using map = Layout<Shape<Int<Threads>, Int<V>>, Stride<Int<V>, _1>>;

  template <class Block>
  CUTE_HOST_DEVICE static void run(Block& block, matrices<T> const& args) {
    for_tile<copy, turn::straight>(block.index(), args,
                                   [&]<class Inside>(auto const& source, auto const& destination, Inside const& inside) {
                                     auto const from = source.compose(map{})(block.thread(), _);
                                     auto const to = destination.compose(map{})(block.thread(), _);
                                     auto const at = make_identity_tensor(source.shape()).compose(map{})(block.thread(), _);

                                     alignas(16) T held[V];
                                     bool const whole = inside(at(V - 1));
                                     block.template global_load<V>(&from(0), held, whole);
                                     block.template global_store<V>(&to(0), held, whole);

                                     if constexpr (V > 1 && !std::is_same_v<Inside, everywhere>) {
                                       CUTE_UNROLL
                                       for (int v = 0; v < V; ++v) {
                                         bool const alone = !whole && inside(at(v));
                                         block.template global_load<1>(&from(v), &held[v], alone);
                                         block.template global_store<1>(&to(v), &held[v], alone);
                                       }
                                     }
                                   });
  }
};

}  // namespace cornerturn::tile
