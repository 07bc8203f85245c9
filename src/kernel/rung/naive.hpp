#pragma once

#include <type_traits>

#include "kernel/rung/catalogue.hpp"
#include "tile/cut.hpp"
#include "tile/maps.hpp"

namespace cornerturn::tile {

/// One element per thread. `Map` is a thread-value layout along a source row (naive-read) or along a destination row
/// (naive-write), and accesses along it coalesce.
template <class T, int M, int N, class Map>
struct naive {
  static constexpr int kRows = M, kCols = N, kThreads = size<0>(Map{}), kBlocks = 1, kSharedBytes = 0;
  static constexpr raster kRaster = raster::source_rows;
  using map = Map;

  template <class Block>
  CUTE_HOST_DEVICE static void run(Block& block, matrices<T> const& args) {
    for_tile<naive>(block.index(), args, [&](auto const& source, auto const& destination, auto const& inside) {
      // Shift into the thread: its element of the tile.
      auto const at = make_identity_tensor(source.shape()).compose(Map{})(block.thread());
      // Load, store.
      T held;
      block.template global_load<1>(&source.compose(Map{})(block.thread()), &held, inside(at));
      block.template global_store<1>(&destination.compose(Map{})(block.thread()), &held, inside(at));
    });
  }
};

template <int M, int N>
using reads_coalesce = Layout<Shape<Shape<Int<N>, Int<M>>>, Stride<Stride<Int<M>, _1>>>;
template <int M, int N>
using writes_coalesce = Layout<Shape<Int<M * N>>, Stride<_1>>;

template <class T, variant Form>
struct program_of<rung::naive_read, T, Form>
    : std::type_identity<naive<T, Form.tile.rows, Form.tile.cols, reads_coalesce<Form.tile.rows, Form.tile.cols>>> {};

template <class T, variant Form>
struct program_of<rung::naive_write, T, Form>
    : std::type_identity<naive<T, Form.tile.rows, Form.tile.cols, writes_coalesce<Form.tile.rows, Form.tile.cols>>> {};

}  // namespace cornerturn::tile
