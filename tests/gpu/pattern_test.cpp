#include "engine/gpu/pattern.hpp"

#include "gpu/gpu_test.hpp"

namespace cornerturn {
namespace {

class gpu_pattern : public test::on_gpu<testing::TestWithParam<int>> {};

TEST_P(gpu_pattern, counts_each_wrong_element) {
  int const size = GetParam();
  constexpr std::int64_t kRows = 300, kCols = 500;
  auto const memory = allocate_device(std::size_t(kRows * kCols * size));
  gpu::fill_pattern(memory.get(), kRows * kCols, size, nullptr);
  EXPECT_EQ(gpu::count_wrong(memory.get(), kRows, kCols, size, false, nullptr), 0);
  // a straight copy is no transpose: nearly every element is wrong, few bytes are right by chance
  EXPECT_GT(gpu::count_wrong(memory.get(), kRows, kCols, size, true, nullptr), kRows * kCols * 98 / 100);

  auto* const element = static_cast<unsigned char*>(memory.get()) + 777 * size;
  unsigned char last;
  check(cudaMemcpy(&last, element, 1, cudaMemcpyDeviceToHost), "cudaMemcpy");
  last ^= 1;
  check(cudaMemcpy(element, &last, 1, cudaMemcpyHostToDevice), "cudaMemcpy");
  EXPECT_EQ(gpu::count_wrong(memory.get(), kRows, kCols, size, false, nullptr), 1);
}

INSTANTIATE_TEST_SUITE_P(sizes, gpu_pattern, testing::Values(1, 2, 4, 8, 16));

}  // namespace
}  // namespace cornerturn
