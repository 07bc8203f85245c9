// The kernels of examples/tile as C++: blocks run one after another, and their threads are fibers.

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <vector>

#include "block/host.hpp"
#include "cornerturn/tile.cuh"

#define __global__ static
#define __device__ static
#define __shared__ static
#define __launch_bounds__(threads)

namespace cornerturn::tile {

/// The running block, in place of a GPU's.
struct thread_block {
  static inline host_block* running;

  explicit thread_block(void*) {}
  int thread() const { return running->thread(); }
  void sync() const { running->sync(); }
  template <class T, int Count>
  T* shared() const {
    return running->shared<T, Count>();
  }
  template <int V, class T>
  void global_load(T const* from, T* to, bool active) const {
    running->global_load<V>(from, to, active);
  }
  template <int V, class T>
  void global_store(T* to, T const* from, bool active) const {
    running->global_store<V>(to, from, active);
  }
  template <int V, class T>
  void shared_load(T const* from, T* to, bool active) const {
    running->shared_load<V>(from, to, active);
  }
  template <int V, class T>
  void shared_store(T* to, T const* from, bool active = true) const {
    running->shared_store<V>(to, from, active);
  }
};

}  // namespace cornerturn::tile

namespace {

struct block_index {
  unsigned x, y;
} blockIdx;

#include "../../examples/tile/bias_gelu.cu"
#include "../../examples/tile/softmax.cu"
#include "../../examples/tile/transpose.cu"

}  // namespace

namespace cornerturn {
namespace {

void launch(unsigned blocks_x, unsigned blocks_y, std::function<void()> const& kernel) {
  for (blockIdx.y = 0; blockIdx.y < blocks_y; ++blockIdx.y)
    for (blockIdx.x = 0; blockIdx.x < blocks_x; ++blockIdx.x) {
      host_block block(256, 32 << 10);
      tile::thread_block::running = &block;
      block.run(blockIdx.x, kernel);
    }
}

struct matrix_shape {
  int rows, columns;
  std::size_t at(int row, int column) const { return std::size_t(row) * std::size_t(columns) + std::size_t(column); }
};

class tile_examples : public testing::TestWithParam<matrix_shape> {
 protected:
  /// Checks that element (column, row) of the result is expected(row, column).
  void expect(std::function<float(int, int)> const& expected) const {
    for (int row = 0; row < shape.rows; ++row)
      for (int column = 0; column < shape.columns; ++column)
        ASSERT_NEAR(out[std::size_t(column) * std::size_t(shape.rows) + std::size_t(row)], expected(row, column), 1e-6)
            << row << "," << column;
  }
  static std::vector<float> numbers(std::size_t count) {
    std::vector<float> result(count);
    for (std::size_t i = 0; i < count; ++i) result[i] = float(i * 7919 % 2001) / 500 - 2;
    return result;
  }

  matrix_shape const shape = GetParam();
  std::vector<float> const in = numbers(shape.at(shape.rows, 0));
  std::vector<float> out = std::vector<float>(in.size());
  unsigned const blocks_x = unsigned(shape.rows + 63) / 64, blocks_y = unsigned(shape.columns + 63) / 64;
};

TEST_P(tile_examples, transpose) {
  launch(blocks_x, blocks_y, [&] { ::transpose(in.data(), out.data(), shape.rows, shape.columns); });
  expect([&](int row, int column) { return in[shape.at(row, column)]; });
}

TEST_P(tile_examples, bias_and_gelu) {
  auto const bias = numbers(std::size_t(shape.columns));
  launch(blocks_x, blocks_y, [&] { bias_gelu(in.data(), bias.data(), out.data(), shape.rows, shape.columns); });
  expect([&](int row, int column) {
    double const x = in[shape.at(row, column)] + bias[std::size_t(column)];
    return float(x / 2 * (1 + std::erf(x / std::sqrt(2))));
  });
}

TEST_P(tile_examples, softmax) {
  launch(blocks_x, 1, [&] { softmax(in.data(), out.data(), shape.rows, shape.columns); });
  std::vector<double> sums(std::size_t(shape.rows));
  for (int row = 0; row < shape.rows; ++row)
    for (int column = 0; column < shape.columns; ++column) sums[std::size_t(row)] += std::exp(double(in[shape.at(row, column)]));
  expect([&](int row, int column) { return float(std::exp(double(in[shape.at(row, column)])) / sums[std::size_t(row)]); });
}

INSTANTIATE_TEST_SUITE_P(shapes, tile_examples,
                         testing::Values(matrix_shape{128, 128}, matrix_shape{100, 120}, matrix_shape{65, 3},
                                         matrix_shape{1, 77}));

}  // namespace
}  // namespace cornerturn
