// examples/tile/cute_transpose.cu as C++: blocks run one after another, and their threads are fibers.

#include <gtest/gtest.h>

#include <cstddef>
#include <utility>
#include <vector>

#include <cute/tensor.hpp>

#include "block/host.hpp"
#include "cornerturn/tile.cuh"

#undef __global__
#undef __shared__
#undef __launch_bounds__
#define __global__ static
#define __shared__ static
#define __launch_bounds__(threads)

namespace {

cornerturn::host_block* running;

struct thread_index {
  struct {
    operator int() const { return running->thread(); }
  } x;
} const threadIdx;

struct block_index {
  unsigned x, y;
} blockIdx;

void __syncthreads() { running->sync(); }

#include "../../examples/tile/cute_transpose.cu"

}  // namespace

namespace cornerturn {
namespace {

TEST(cute_example, has_the_layout_and_the_lanes_of_the_header) {
  ASSERT_EQ(cute::cosize_v<::shared_layout> * sizeof(float), std::size_t(::found::shared_bytes));
  for (int row = 0; row < 64; ++row)
    for (int column = 0; column < 64; ++column) EXPECT_EQ(::shared_layout{}(row, column), ::found::offset(row, column));
  auto const& [squares, vectors] = std::pair(::found::scheme.squares, ::found::scheme.vectors);
  ASSERT_EQ(squares.steps, 1);
  for (unsigned thread = 0; thread < 256; ++thread) {
    auto const [down, across] = ::square_threads{}.get_flat_coord(thread);
    EXPECT_EQ(4 * int(down), squares.slow(thread, 0));
    EXPECT_EQ(4 * int(across), squares.fast(thread, 0));
    auto const [unit, column] = ::vector_threads{}.get_flat_coord(thread);
    for (int step = 0; step < vectors.steps; ++step) {
      EXPECT_EQ(4 * int(unit), vectors.fast(thread, unsigned(step)));
      EXPECT_EQ(int(column) + 256 / ::kDown * step, vectors.slow(thread, unsigned(step)));
    }
  }
}

TEST(cute_example, transposes) {
  struct matrix_shape {
    int rows, columns;
  };
  for (auto const& [rows, columns] : {matrix_shape{128, 128}, {100, 120}, {65, 3}, {1, 77}, {67, 128}}) {
    auto const at = [](int row, int column, int pitch) { return std::size_t(row) * std::size_t(pitch) + std::size_t(column); };
    std::vector<float> in(at(rows, 0, columns)), out(in.size(), -1);
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = float(i);
    for (blockIdx.y = 0; blockIdx.y < unsigned(columns + 63) / 64; ++blockIdx.y)
      for (blockIdx.x = 0; blockIdx.x < unsigned(rows + 63) / 64; ++blockIdx.x) {
        host_block block(256, 16);
        running = &block;
        block.run(blockIdx.x, [&] { ::cute_transpose(in.data(), out.data(), rows, columns); });
      }
    for (int row = 0; row < rows; ++row)
      for (int column = 0; column < columns; ++column)
        ASSERT_EQ(out[at(column, row, rows)], in[at(row, column, columns)]) << row << "," << column;
  }
}

}  // namespace
}  // namespace cornerturn
