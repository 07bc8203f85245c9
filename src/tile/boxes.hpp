#pragma once

#include <cstddef>
#include <utility>

#include "block/tensor_map.hpp"
#include "tile/cut.hpp"
#include "tile/maps.hpp"

namespace cornerturn::tile {

/// The parameters of a kernel that uses TMA. `Map` is the block's type of a tensor map. The map of a side that TMA does not
/// access is empty.
template <class T, class Map>
struct tma_args : matrices<T> {
  Map source_map, destination_map;
};

/// Elements of a box's row, which has 128 bytes.
template <class T>
constexpr int kBoxCols = tensor_map::kRowBytes / int(sizeof(T));

/// A program that uses TMA states the rows of a box on each side, or 0 if TMA does not access that side.
template <class Program>
concept uses_tma = requires {
  Program::kSourceBoxRows + Program::kDestinationBoxRows;
};

/// The parameters of any rung's kernel. `encode` makes the block's type of a tensor map from a `tensor_map`.
template <class Program, class T, class Encode>
auto with_tensor_maps(matrices<T> const& args, Encode const& encode) {
  if constexpr (!uses_tma<Program>) {
    return args;
  } else {
    using map = decltype(encode(tensor_map{}));
    auto const bytes = [](std::int64_t elements) { return elements * std::int64_t(sizeof(T)); };
    job const& shape = args.shape;
    tensor_map source{.base = reinterpret_cast<std::byte*>(const_cast<T*>(args.source)),
                      .element_size = sizeof(T),
                      .cols = shape.cols,
                      .rows = shape.rows,
                      .batch = shape.batch,
                      .pitch_bytes = bytes(shape.source_pitch),
                      .batch_bytes = bytes(shape.source_batch_stride),
                      .box_rows = Program::kSourceBoxRows,
                      .swizzled = Program::kSwizzled};
    tensor_map destination = source;
    destination.base = reinterpret_cast<std::byte*>(args.destination);
    if (Program::kOperation == operation::transpose) std::swap(destination.cols, destination.rows);
    destination.pitch_bytes = bytes(shape.destination_pitch);
    destination.batch_bytes = bytes(shape.destination_batch_stride);
    destination.box_rows = Program::kDestinationBoxRows;
    return tma_args<T, map>{args, Program::kSourceBoxRows ? encode(source) : map{},
                            Program::kDestinationBoxRows ? encode(destination) : map{}};
  }
}

/// An M x N tile in shared memory as a row of boxes, whose rows have 128 bytes and are source rows or destination rows.
template <class T, int M, int N>
using source_boxes = Layout<Shape<Int<M>, Shape<Int<kBoxCols<T>>, Int<N / kBoxCols<T>>>>,
                            Stride<Int<kBoxCols<T>>, Stride<_1, Int<M * kBoxCols<T>>>>>;
template <class T, int M, int N>
using destination_boxes = Layout<Shape<Shape<Int<kBoxCols<T>>, Int<M / kBoxCols<T>>>, Int<N>>,
                                 Stride<Stride<_1, Int<N * kBoxCols<T>>>, Int<kBoxCols<T>>>>;

// Boxes of 32 rows of 32 floats have 1024 elements. Element (1, 33) of the source's tile is in box 1 at (1, 1), and so is element
// (33, 1) of a tile in boxes of destination rows.
static_assert(source_boxes<float, 32, 64>{}(1, 33) == 1024 + 1 * 32 + 1);
static_assert(destination_boxes<float, 64, 32>{}(33, 1) == 1024 + 1 * 32 + 1);

/// TMA's 128-byte swizzle, in elements: the index of a 16-byte unit is XORed with the index of its 128-byte row.
template <class T>
using swizzle_128 = Swizzle<3, log2_of(16 / int(sizeof(T))), 3>;

// A unit has four floats. In row 1, unit 0 changes places with unit 1, unit 2 with unit 3.
static_assert(swizzle_128<float>{}(1 * 32 + 0 * 4) == 1 * 32 + 1 * 4 && swizzle_128<float>{}(1 * 32 + 3 * 4) == 1 * 32 + 2 * 4);

// Arrangements of the two tiles of `tma` and of its threads. Each thread transposes squares of kSquare x kSquare elements.

/// Plain boxes. Neighbouring threads have neighbouring elements of a source row, so their stores all have the same bank.
template <class T, int M, int N, int Threads>
struct unswizzled {
  static constexpr int kSquare = 1;
  static constexpr bool kSwizzled = false;
  using source_layout = source_boxes<T, M, N>;
  using destination_layout = destination_boxes<T, M, N>;
  using map = along_n<M, N, Threads, 1>;
};

/// Swizzled boxes, squares of 16-byte vectors, and eight neighbouring threads on a diagonal of squares. The swizzle separates
/// neighbouring rows, but the rows of neighbouring squares are a whole square apart. On a diagonal, the threads' units differ on
/// both sides, and they still differ after the XOR. A 16-byte element is a square by itself, and needs only the swizzle.
template <class T, int M, int N, int Threads>
struct diagonal {
  static constexpr int kSquare = 16 / int(sizeof(T));
  static constexpr bool kSwizzled = true;
  using source_layout = decltype(composition(swizzle_128<T>{}, source_boxes<T, M, N>{}));
  using destination_layout = decltype(composition(swizzle_128<T>{}, destination_boxes<T, M, N>{}));
  using squares = along_n<M, N, Threads, kSquare, kSquare, 32, kSquare == 1 ? 1 : 8>;
  using map =
      std::conditional_t<kSquare == 1, squares, decltype(composition(Swizzle<3, log2_of(kSquare), -log2_of(M)>{}, squares{}))>;
};

// A square has 4 x 4 floats. Threads 0, 1 and 2 begin with the squares at (0, 0), (4, 4) and (8, 8).
static_assert(diagonal<float, 32, 32, 64>::map{}(1, 0, 0, 0) == 4 + 4 * 32);
static_assert(diagonal<float, 32, 32, 64>::map{}(2, 0, 0, 0) == 8 + 8 * 32);

}  // namespace cornerturn::tile
