// transpose.cu in CuTe: out[column][row] = in[row][column]. What tile.cuh finds for the tile becomes layouts of CuTe.
#include <cute/tensor.hpp>

#include <cornerturn/tile.cuh>

using namespace cute;
using found = cornerturn::tile_transpose<float, 64, 64, 256>;

/// (row, column) -> element of shared memory: the tile's columns one after another, swizzled.
constexpr auto kFound = found::scheme.swizzle;
using shared_layout = decltype(composition(Swizzle<kFound.bits, kFound.base, kFound.shift>{},
                                           Layout<Shape<_64, _64>, Stride<_1, Int<found::scheme.pitch>>>{}));
static_assert(shared_layout{}(3, 5) == found::offset(3, 5));

/// Units of the tile -> threads: squares of 4 x 4 elements are loaded along rows, vectors of 4 are stored along columns.
constexpr int kAcross = found::scheme.squares.fast_lanes, kDown = found::scheme.vectors.fast_lanes;
using square_threads = Layout<Shape<Int<256 / kAcross>, Int<kAcross>>, Stride<Int<kAcross>, _1>>;
using vector_threads = Layout<Shape<Int<kDown>, Int<256 / kDown>>>;

/// Blocks of 256 threads, one for each tile of 64 x 64. Blocks in x are along the rows of the destination.
__global__ void __launch_bounds__(256) cute_transpose(float const* in, float* out, int rows, int columns) {
  alignas(16) __shared__ float memory[cosize_v<shared_layout>];
  int const thread = int(threadIdx.x);
  auto const matrix = make_shape(rows, columns);
  auto const tile_of = [&](auto const& tensor) {
    return local_tile(tensor, Shape<_64, _64>{}, make_coord(int(blockIdx.x), int(blockIdx.y)));
  };
  auto const from = tile_of(make_tensor(make_gmem_ptr(in), matrix, make_stride(int64_t(columns), _1{})));
  auto const to = tile_of(make_tensor(make_gmem_ptr(out), matrix, make_stride(_1{}, int64_t(rows))));
  auto const coordinates = tile_of(make_identity_tensor(matrix));
  auto const shared = make_tensor(make_smem_ptr(memory), shared_layout{});
  using vectors = AutoVectorizingCopyWithAssumedAlignment<128>;
  bool const is_whole = elem_less(coordinates(63, 63), matrix) && rows % 4 == 0 && columns % 4 == 0;

  // Load: the rows of a square, whose columns go to shared memory.
  auto const square_of = [&](auto const& tile) {
    return local_tile(tile, Shape<_4, _4>{}, square_threads{}.get_flat_coord(thread));
  };
  auto const square = square_of(from);
  auto const in_square = square_of(coordinates);
  auto by_rows = make_tensor<float>(Shape<_4, _4>{}, LayoutRight{});
  auto by_columns = make_tensor<float>(Shape<_4, _4>{});
  clear(by_rows);
  if (is_whole)
    copy(vectors{}, square, by_rows);
  else
    copy_if([&](int i) { return elem_less(in_square(i), matrix); }, square, by_rows);
  copy(by_rows, by_columns);
  copy(vectors{}, by_columns, square_of(shared));
  __syncthreads();

  // Store: vectors of columns, in steps of as many columns as the threads have.
  auto const vectors_of = [&](auto const& tile) {
    auto const [unit, column] = vector_threads{}.get_flat_coord(thread);
    return local_tile(tile, Shape<_4, Int<256 / kDown>>{}, make_coord(unit, _))(_, column, _);
  };
  auto const in_vectors = vectors_of(coordinates);
  auto held = make_tensor<float>(shape(in_vectors));
  copy(vectors{}, vectors_of(shared), held);
  if (is_whole)
    copy(vectors{}, held, vectors_of(to));
  else
    copy_if([&](int i) { return elem_less(in_vectors(i), matrix); }, held, vectors_of(to));
}
