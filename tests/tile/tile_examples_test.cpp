// The kernels of examples/tile as C++: blocks run one after another, and their threads are fibers.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "block/host.hpp"
#include "cornerturn/rows.cuh"
#include "tile/described_rows.hpp"

#define __global__ static
#define __device__ static
#define __shared__ static
#define __launch_bounds__(threads)

namespace cornerturn::tile {

/// The running block, in place of a GPU's. Each array of the kernel has 32 KiB of its shared memory.
struct thread_block {
  static inline host_block* running;
  static inline std::vector<void*> arrays;

  int const offset;

  explicit thread_block(void* array) : offset(offset_of(array)) {}
  static int offset_of(void* array) {
    auto const found = std::ranges::find(arrays, array);
    auto const index = found - arrays.begin();
    if (found == arrays.end()) arrays.push_back(array);
    return int(index) * (32 << 10);
  }
  int thread() const { return running->thread(); }
  void sync() const { running->sync(); }
  template <class T, int Count>
  T* shared() const {
    return running->shared<T, Count>(offset);
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
  unsigned x, y, z;
} blockIdx;

int published = 0;  ///< calls of `publish_to_wgmma`
void publish_to_wgmma() { ++published; }
void begin_wgmma() {}
void end_wgmma() {}
/// The sums of one thread, whose places the PTX ISA defines.
template <class Mode>
void wgmma_64x32x32(float (&sums)[16], void const* a, void const* b) {
  auto const rows = cornerturn::described_rows::of<Mode>(a), columns = cornerturn::described_rows::of<Mode>(b);
  int const thread = cornerturn::tile::thread_block::running->thread(), lane = thread % 32;
  for (int i = 0; i < 16; ++i) {
    int const row = thread / 32 * 16 + i / 2 % 2 * 8 + lane / 4, column = i / 4 * 8 + lane % 4 * 2 + i % 2;
    for (int k = 0; k < 32; ++k) sums[i] += rows.at(row, k) * columns.at(column, k);
  }
}

#include "../../examples/tile/attention_values.cu"
#include "../../examples/tile/bias_gelu.cu"
#include "../../examples/tile/nhwc.cu"
#include "../../examples/tile/softmax.cu"
#include "../../examples/tile/transpose.cu"

}  // namespace

namespace cornerturn {
namespace {

void launch(unsigned blocks_x, unsigned blocks_y, std::function<void()> const& kernel, int threads = 256) {
  tile::thread_block::arrays.clear();
  for (blockIdx.y = 0; blockIdx.y < blocks_y; ++blockIdx.y)
    for (blockIdx.x = 0; blockIdx.x < blocks_x; ++blockIdx.x) {
      host_block block(threads, 64 << 10);
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

TEST_P(tile_examples, nhwc) {
  auto const [channels, pixels] = shape;
  auto const scale = numbers(std::size_t(channels)), images = numbers(3 * in.size());
  std::vector<float> shift(scale.rbegin(), scale.rend()), results(images.size());
  for (blockIdx.z = 0; blockIdx.z < 3; ++blockIdx.z)
    launch(blocks_x, blocks_y,
           [&] { ::nhwc(images.data(), scale.data(), shift.data(), results.data(), shape.rows, shape.columns); });
  for (int image = 0; image < 3; ++image)
    for (int channel = 0; channel < channels; ++channel)
      for (int pixel = 0; pixel < pixels; ++pixel) {
        float const x = images[shape.at(image * channels + channel, pixel)];
        float const y = x * scale[std::size_t(channel)] + shift[std::size_t(channel)];
        ASSERT_NEAR(results[(std::size_t(image) * std::size_t(pixels) + std::size_t(pixel)) * std::size_t(channels) +
                            std::size_t(channel)],
                    std::max(y, 0.0F), 1e-5)
            << image << "," << channel << "," << pixel;
      }
}

TEST_P(tile_examples, softmax) {
  launch(blocks_x, 1, [&] { softmax(in.data(), out.data(), shape.rows, shape.columns); });
  std::vector<double> sums(std::size_t(shape.rows));
  for (int row = 0; row < shape.rows; ++row)
    for (int column = 0; column < shape.columns; ++column) sums[std::size_t(row)] += std::exp(double(in[shape.at(row, column)]));
  expect([&](int row, int column) { return float(std::exp(double(in[shape.at(row, column)])) / sums[std::size_t(row)]); });
}

TEST(tile_examples_of_softmax, have_rows_of_the_least_number) {
  constexpr int kColumns = 6;
  std::vector<float> const in(64 * kColumns, std::numeric_limits<float>::lowest());
  std::vector<float> out(in.size());
  launch(1, 1, [&] { softmax(in.data(), out.data(), 64, kColumns); });
  for (float const each : out) ASSERT_FLOAT_EQ(each, 1.0F / kColumns);
}

TEST(tile_examples_of_wgmma, attention_values) {
  for (auto const& [queries, keys] : {matrix_shape{64, 128}, matrix_shape{70, 256}, matrix_shape{3, 200}}) {
    auto const bits = [](std::size_t count, std::size_t step) {
      std::vector<std::uint8_t> result(count);
      for (std::size_t i = 0; i < count; ++i) result[i] = std::uint8_t(0x30 + i * step % 61 % 16 + i * step % 7 % 2 * 0x80);
      return result;
    };
    auto const number = [](std::uint8_t each) { return element::number_of<float>(element::f8_e4m3fn_bits{each}); };
    matrix_shape const in{queries, keys}, values{keys, 128}, result{queries, 128};
    auto const p = bits(in.at(queries, 0), 7919), v = bits(values.at(keys, 0), 104729);
    std::vector<float> out(result.at(queries, 0));
    published = 0;
    unsigned const blocks = unsigned(queries + 63) / 64;
    launch(
        blocks, 1, [&] { ::attention_values(p.data(), v.data(), out.data(), queries, keys); }, 128);
    EXPECT_EQ(published, int(blocks) * ((keys + 127) / 128) * 128);
    for (int row = 0; row < queries; ++row)
      for (int column = 0; column < 128; ++column) {
        float sum = 0;  // all sums are exact
        for (int key = 0; key < keys; ++key) sum += number(p[in.at(row, key)]) * number(v[values.at(key, column)]);
        ASSERT_EQ(out[result.at(row, column)], sum) << row << "," << column;
      }
  }
}

INSTANTIATE_TEST_SUITE_P(shapes, tile_examples,
                         testing::Values(matrix_shape{128, 128}, matrix_shape{100, 120}, matrix_shape{65, 3},
                                         matrix_shape{1, 77}));

}  // namespace
}  // namespace cornerturn
