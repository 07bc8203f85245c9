#include "support/plain_ladder.hpp"

#include "gpu/gpu_test.hpp"

namespace cornerturn {
namespace {

class gpu_plain_ladder : public test::on_gpu<testing::TestWithParam<test::plain_kernel>> {};

TEST_P(gpu_plain_ladder, transposes) {
  auto const& kernel = GetParam();
  auto source = test::plain_source();
  auto const bytes = source.size() * sizeof(float);
  auto const from = allocate_device(bytes), to = allocate_device(bytes);
  auto* const in = reinterpret_cast<float*>(from.get());
  auto* const out = reinterpret_cast<float*>(to.get());
  check(cudaMemcpy(in, source.data(), bytes, cudaMemcpyHostToDevice), "cudaMemcpy");
  kernel.run<<<kernel.blocks(test::kPlainRows, test::kPlainCols), kernel.threads>>>(in, out, test::kPlainRows, test::kPlainCols);
  check(cudaGetLastError(), "launch");
  check(cudaMemcpy(source.data(), out, bytes, cudaMemcpyDeviceToHost), "cudaMemcpy");
  EXPECT_EQ(source, test::plain_expected(kernel));
}

INSTANTIATE_TEST_SUITE_P(rungs, gpu_plain_ladder, test::plain_kernels(), test::plain_name);

}  // namespace
}  // namespace cornerturn
