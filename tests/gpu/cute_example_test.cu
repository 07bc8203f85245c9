#include "../../examples/tile/cute_transpose.cu"

#include <cstddef>
#include <vector>

#include "gpu/gpu_test.hpp"

namespace cornerturn {
namespace {

class gpu_cute_example : public test::on_gpu<testing::TestWithParam<std::pair<int, int>>> {};

TEST_P(gpu_cute_example, transposes) {
  auto const [rows, columns] = GetParam();
  auto const at = [](int row, int column, int pitch) { return std::size_t(row) * std::size_t(pitch) + std::size_t(column); };
  std::vector<float> in(at(rows, 0, columns)), out(in.size());
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = float(i);
  auto const bytes = in.size() * sizeof(float);
  auto const from = allocate_device(bytes), to = allocate_device(bytes);
  auto* const source = reinterpret_cast<float*>(from.get());
  auto* const destination = reinterpret_cast<float*>(to.get());
  check(cudaMemcpy(source, in.data(), bytes, cudaMemcpyHostToDevice), "cudaMemcpy");
  dim3 const blocks(unsigned(rows + 63) / 64, unsigned(columns + 63) / 64);
  ::cute_transpose<<<blocks, 256>>>(source, destination, rows, columns);
  check(cudaGetLastError(), "launch");
  check(cudaMemcpy(out.data(), destination, bytes, cudaMemcpyDeviceToHost), "cudaMemcpy");
  for (int row = 0; row < rows; ++row)
    for (int column = 0; column < columns; ++column)
      ASSERT_EQ(out[at(column, row, rows)], in[at(row, column, columns)]) << row << "," << column;
}

INSTANTIATE_TEST_SUITE_P(shapes, gpu_cute_example,
                         testing::Values(std::pair(128, 128), std::pair(1000, 1200), std::pair(65, 3), std::pair(1, 77),
                                         std::pair(67, 128)));

}  // namespace
}  // namespace cornerturn
