#pragma once

#include <cutlass/fast_math.h>

#include <cute/tensor.hpp>

#include "tile/job.hpp"

namespace cornerturn::tile {

using namespace cute;

/// The order in which consecutive blocks visit the tiles.
enum class walk { source_rows, destination_rows };

/// How the destination is laid out over the source's coordinates.
enum class turn { transposed, straight };

/// Predicates over a tile's coordinates: an interior tile needs none, an edge tile ends early.
struct everywhere {
  template <class Coord>
  CUTE_HOST_DEVICE constexpr bool operator()(Coord const&) const {
    return true;
  }
};
struct within {
  std::int64_t rows, cols;
  template <class Coord>
  CUTE_HOST_DEVICE constexpr bool operator()(Coord const& at) const {
    return get<0>(at) < rows && get<1>(at) < cols;
  }
};

/// What a tile program is handed: a job, the memory it works on, and its tiles in the order of the walk. Dividing by numbers
/// prepared on the host makes kernels of one element a thread an eighth faster.
template <class T>
struct matrices {
  T const* source;
  T* destination;
  job shape;
  cutlass::FastDivmodU64 first, second;  ///< tiles along the walk's fast and slow mode

  template <class Program>
  static matrices over(Program, T const* source, T* destination, job const& shape) {
    auto const m = std::uint64_t(ceil_div(shape.rows, std::int64_t(Program::kRows))),
               n = std::uint64_t(ceil_div(shape.cols, std::int64_t(Program::kCols)));
    bool const down = Program::kWalk == walk::destination_rows;
    return {source, destination, shape, cutlass::FastDivmodU64(down ? m : n), cutlass::FastDivmodU64(down ? n : m)};
  }
};

/// Where a tile lies: counted in tiles along both modes, and its matrix.
struct tile_place {
  std::int64_t m, n, b;
  bool exists;  ///< false past the last tile
};

template <class Program, class T>
CUTE_HOST_DEVICE tile_place locate(std::int64_t index, matrices<T> const& args) {
  std::uint64_t slow, fast, b;
  args.first(slow, fast, std::uint64_t(index));
  args.second(b, slow, slow);
  constexpr bool kDown = Program::kWalk == walk::destination_rows;
  return {std::int64_t(kDown ? fast : slow), std::int64_t(kDown ? slow : fast), std::int64_t(b),
          b < std::uint64_t(args.shape.batch)};
}

/// Cuts the block's tile out of both matrices and calls move(source, destination, inside): two tensors of shape (M, N) over the
/// source's coordinates, and the predicate that says which of these exist. Blocks past the last tile do nothing.
template <class Program, turn Turn = turn::transposed, class T, class Move>
CUTE_HOST_DEVICE void for_tile(std::int64_t index, matrices<T> const& args, Move const& move) {
  constexpr int M = Program::kRows, N = Program::kCols;
  job const& shape = args.shape;
  auto const [m, n, b, exists] = locate<Program>(index, args);
  if (!exists) return;

  auto const extents = make_shape(shape.rows, shape.cols);
  auto const destination_stride = [&] {
    if constexpr (Turn == turn::transposed)
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
  within const edge{shape.rows - m * M, shape.cols - n * N};
  if (edge.rows >= M && edge.cols >= N)
    move(source_tile, destination_tile, everywhere{});
  else
    move(source_tile, destination_tile, edge);
}

}  // namespace cornerturn::tile
