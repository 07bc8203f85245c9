#pragma once

#include <type_traits>

#include "kernel/rung/catalogue.hpp"
#include "tile/cut.hpp"
#include "tile/maps.hpp"

namespace cornerturn::tile {

/// The ceiling: each thread copies vectors of V consecutive elements of a row. If the row ends within a vector, its elements are
/// copied one by one. A thread with several vectors loads up to four before it stores them.
template <class T, int M, int N, int Threads, int V>
struct copy {
  static constexpr int kRows = M, kCols = N, kThreads = Threads, kBlocks = 1, kSharedBytes = 0;
  static constexpr raster kRaster = raster::source_rows;
  using map = along_n<M, N, Threads, V, 1, Threads>;

  template <class Block>
  CUTE_HOST_DEVICE static void run(Block& block, matrices<T> const& args) {
    for_tile<copy, operation::copy>(
        block.index(), args, [&]<class Inside>(auto const& source, auto const& destination, Inside const& inside) {
          // Shift into the thread: its vectors of the tile.
          auto const from = part_of(source, map{}, block.thread(), _, 0, _);
          auto const to = part_of(destination, map{}, block.thread(), _, 0, _);
          auto const at = part_of(make_identity_tensor(source.shape()), map{}, block.thread(), _, 0, _);
          constexpr int kSteps = size<3>(map{}), kInFlight = kSteps < 4 ? kSteps : 4;

          CUTE_NO_UNROLL
          for (int first = 0; first < kSteps; first += kInFlight) {
            // Load, store.
            alignas(16) T held[kInFlight][V];
            CUTE_UNROLL
            for (int i = 0; i < kInFlight; ++i)
              block.template global_load<V>(&from(0, first + i), held[i], inside(at(V - 1, first + i)));
            CUTE_UNROLL
            for (int i = 0; i < kInFlight; ++i)
              block.template global_store<V>(&to(0, first + i), held[i], inside(at(V - 1, first + i)));

            // The elements of a vector that the end of the row cuts.
            if constexpr (V > 1 && !std::is_same_v<Inside, no_predicate>) {
              CUTE_UNROLL
              for (int i = 0; i < kInFlight; ++i) CUTE_UNROLL
              for (int v = 0; v < V; ++v) {
                auto const step = first + i;
                bool const alone = !inside(at(V - 1, step)) && inside(at(v, step));
                T element;
                block.template global_load<1>(&from(v, step), &element, alone);
                block.template global_store<1>(&to(v, step), &element, alone);
              }
            }
          }
        });
  }
};

template <class T, variant Form>
struct program_of<rung::copy, T, Form>
    : std::type_identity<copy<T, Form.tile.rows, Form.tile.cols, Form.tile.threads, Form.widths.source>> {};

}  // namespace cornerturn::tile
