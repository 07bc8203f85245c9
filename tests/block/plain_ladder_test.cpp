// The plain kernels of docs/ladder.md as C++: blocks run one after another, and their threads are fibers.

#include <vector_functions.h>

#include "block/fibers.hpp"

#undef __global__
#undef __shared__
#define __global__ static
#define __shared__ static

namespace {

uint3 threadIdx, blockIdx;
cornerturn::fiber_group* block;  ///< the running block
float handed[1024];              ///< each thread's value in a shuffle

void __syncthreads() {
  auto const own = threadIdx;
  block->yield();
  threadIdx = own;
}

/// All threads of a block call it together, and their index is in x.
float __shfl_xor_sync(unsigned, float value, int mask) {
  handed[threadIdx.x] = value;
  __syncthreads();
  float const got = handed[threadIdx.x ^ mask];
  __syncthreads();
  return got;
}

}  // namespace

#include "support/plain_ladder.hpp"

namespace cornerturn {
namespace {

class plain_ladder : public testing::TestWithParam<test::plain_kernel> {};

TEST_P(plain_ladder, transposes) {
  auto const& kernel = GetParam();
  auto const source = test::plain_source();
  std::vector<float> destination(source.size());
  auto const threads = kernel.threads, blocks = kernel.blocks(test::kPlainRows, test::kPlainCols);
  fiber_group fibers(int(threads.x * threads.y));
  block = &fibers;
  for (blockIdx.y = 0; blockIdx.y < blocks.y; ++blockIdx.y)
    for (blockIdx.x = 0; blockIdx.x < blocks.x; ++blockIdx.x)
      fibers.run([&] {
        threadIdx = {unsigned(fibers.current()) % threads.x, unsigned(fibers.current()) / threads.x, 0};
        kernel.run(source.data(), destination.data(), test::kPlainRows, test::kPlainCols);
      });
  EXPECT_EQ(destination, test::plain_expected(kernel));
}

INSTANTIATE_TEST_SUITE_P(rungs, plain_ladder, test::plain_kernels(), test::plain_name);

}  // namespace
}  // namespace cornerturn
