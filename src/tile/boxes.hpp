#pragma once

#include <cstddef>
#include <utility>

#include "block/tensor_map.hpp"
#include "tile/cut.hpp"
#include "tile/maps.hpp"

namespace cornerturn::tile {

/// What a program that moves boxes is handed besides: a descriptor of each side that it moves so, as its block takes it.
template <class T, class Map>
struct boxed : matrices<T> {
  Map source_map, destination_map;
};

/// Elements in a box's row of 128 bytes.
template <class T>
constexpr int kBoxCols = tensor_map::kRowBytes / int(sizeof(T));

/// Programs that move boxes say of each side how many rows its boxes have (0: it is not moved in boxes).
template <class Program>
concept moves_boxes = requires {
  Program::kSourceBoxRows + Program::kDestinationBoxRows;
};

/// What a program is handed, given what makes a block's descriptor out of a `tensor_map`.
template <class Program, class T, class Encode>
auto with_boxes(matrices<T> const& args, Encode const& encode) {
  if constexpr (!moves_boxes<Program>) {
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
    if (Program::kTurn == turn::transposed) std::swap(destination.cols, destination.rows);
    destination.pitch_bytes = bytes(shape.destination_pitch);
    destination.batch_bytes = bytes(shape.destination_batch_stride);
    destination.box_rows = Program::kDestinationBoxRows;
    return boxed<T, map>{args, Program::kSourceBoxRows ? encode(source) : map{},
                         Program::kDestinationBoxRows ? encode(destination) : map{}};
  }
}

/// An M x N tile in shared memory as boxes beside each other, each of rows of 128 bytes: of source rows, or of destination rows.
template <class T, int M, int N>
using source_boxes = Layout<Shape<Int<M>, Shape<Int<kBoxCols<T>>, Int<N / kBoxCols<T>>>>,
                            Stride<Int<kBoxCols<T>>, Stride<_1, Int<M * kBoxCols<T>>>>>;
template <class T, int M, int N>
using destination_boxes = Layout<Shape<Shape<Int<kBoxCols<T>>, Int<M / kBoxCols<T>>>, Int<N>>,
                                 Stride<Stride<_1, Int<N * kBoxCols<T>>>, Int<kBoxCols<T>>>>;

/// TMA's 128-byte swizzle in elements: the 16-byte unit's number XORed with that of its 128-byte row.
template <class T>
using swizzle_128 = Swizzle<3, log2_of(16 / int(sizeof(T))), 3>;

/// How `tma` arranges its two tiles and its threads, which turn squares of kSquare x kSquare elements.

/// Boxes as they are, and neighbouring threads at neighbouring elements of a source row: their stores all meet in one bank.
template <class T, int M, int N, int Threads>
struct straight {
  static constexpr int kSquare = 1;
  static constexpr bool kSwizzled = false;
  using source_layout = source_boxes<T, M, N>;
  using destination_layout = destination_boxes<T, M, N>;
  using map = along_n<M, N, Threads, 1>;
};

/// Swizzled boxes, squares of 16-byte vectors, and eight neighbouring threads on a diagonal of these. The swizzle tells
/// neighbouring rows apart, but the rows of neighbouring squares lie a whole square apart; on a diagonal the threads' units
/// differ on both sides, and still do when they are XORed. Elements of 16 bytes, each a square, need the swizzle alone.
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

}  // namespace cornerturn::tile
