#pragma once

#include <cutlass/fast_math.h>

#include <cute/tensor.hpp>

#include "tile/job.hpp"
#include "tile/tile_shape.hpp"

namespace cornerturn::tile {

using namespace cute;

/// The place of the source's element (r, c) in the destination: (c, r) for a transpose, (r, c) for a copy.
enum class operation { transpose, copy };

/// Predicates over a tile's coordinates. An interior tile needs none. An edge tile compares them with the end of the matrix.
struct no_predicate {
  template <class Coord>
  CUTE_HOST_DEVICE constexpr bool operator()(Coord const&) const {
    return true;
  }
};
struct bounds_predicate {
  std::int64_t rows, cols;  ///< from the start of the tile to the end of the matrix
  template <class Coord>
  CUTE_HOST_DEVICE constexpr bool operator()(Coord const& at) const {
    return get<0>(at) < rows && get<1>(at) < cols;
  }
};

/// The parameters of a rung's kernel: the matrices, and the divisors that turn a block's index into a tile. The host prepares the
/// divisors, which makes kernels with one element per thread an eighth faster.
template <class T>
struct matrices {
  T const* source;
  T* destination;
  job shape;
  cutlass::FastDivmodU64 fast_tiles, slow_tiles;  ///< number of tiles along the fast and the slow mode of the raster order

  template <class Program>
  static matrices over(Program, T const* source, T* destination, job const& shape) {
    auto const m = std::uint64_t(ceil_div(shape.rows, std::int64_t(Program::kRows))),
               n = std::uint64_t(ceil_div(shape.cols, std::int64_t(Program::kCols)));
    bool const down = Program::kRaster == raster::destination_rows;
    return {source, destination, shape, cutlass::FastDivmodU64(down ? m : n), cutlass::FastDivmodU64(down ? n : m)};
  }
};

/// The coordinates of a tile. If a matrix has 4 tiles down and 3 across, tile 7 is (m, n) = (2, 1) in the raster order of source
/// rows, because 7 = 2 * 3 + 1, and (3, 1) in the order of destination rows, because 7 = 1 * 4 + 3.
struct tile_coord {
  std::int64_t m, n;  ///< tiles along the rows and along the columns
  std::int64_t b;     ///< index of the matrix in the batch
  bool exists;        ///< false past the last tile
};

template <class Program, class T>
CUTE_HOST_DEVICE tile_coord locate(std::int64_t index, matrices<T> const& args) {
  std::uint64_t slow, fast, b;
  args.fast_tiles(slow, fast, std::uint64_t(index));
  args.slow_tiles(b, slow, slow);
  constexpr bool kDown = Program::kRaster == raster::destination_rows;
  return {std::int64_t(kDown ? fast : slow), std::int64_t(kDown ? slow : fast), std::int64_t(b),
          b < std::uint64_t(args.shape.batch)};
}

/// Takes the block's tile of both matrices and calls move(source, destination, inside). `source` and `destination` are tensors of
/// shape (M, N) over the source's coordinates, and `inside` is the predicate that is true for coordinates inside the matrix.
/// Blocks past the last tile do nothing.
template <class Program, operation Operation = operation::transpose, class T, class Move>
CUTE_HOST_DEVICE void for_tile(std::int64_t index, matrices<T> const& args, Move const& move) {
  constexpr int M = Program::kRows, N = Program::kCols;
  job const& shape = args.shape;
  auto const [m, n, b, exists] = locate<Program>(index, args);
  if (!exists) return;

  auto const extents = make_shape(shape.rows, shape.cols);
  auto const destination_stride = [&] {
    if constexpr (Operation == operation::transpose)
      return make_stride(_1{}, shape.destination_pitch);
    else
      return make_stride(shape.destination_pitch, _1{});
  }();
  auto const source = make_tensor(make_gmem_ptr(args.source + b * shape.source_batch_stride),
                                  make_layout(extents, make_stride(shape.source_pitch, _1{})));
  auto const destination =
      make_tensor(make_gmem_ptr(args.destination + b * shape.destination_batch_stride), make_layout(extents, destination_stride));

  auto const tile = Shape<Int<M>, Int<N>>{};
  auto const source_tile = local_tile(source, tile, make_coord(m, n));
  auto const destination_tile = local_tile(destination, tile, make_coord(m, n));
  bounds_predicate const edge{shape.rows - m * M, shape.cols - n * N};
#ifndef __CUDACC__
  // The edge's predicate is true in an interior tile, too. With it alone a host compiles each program once; `copy` asks for its
  // type.
  if constexpr (Operation == operation::transpose)
    move(source_tile, destination_tile, edge);
  else
#endif
      if (edge.rows >= M && edge.cols >= N)
    move(source_tile, destination_tile, no_predicate{});
  else
    move(source_tile, destination_tile, edge);
}

}  // namespace cornerturn::tile
