// Runs the plan for a permutation of a dense array once, between two buffers of cudaMalloc, for bench/counters.py to profile:
// run_plan ELEMENT_SIZE EXTENT... AXIS..., with as many axes as extents. Prints the plan.

#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "cornerturn/plan.hpp"
#include "expect.hpp"

int main(int count, char** arguments) {
  if (count < 4 || count % 2) {
    std::fprintf(stderr, "usage: run_plan ELEMENT_SIZE EXTENT... AXIS...\n");
    return 2;
  }
  std::vector<std::int64_t> numbers;
  for (int i = 1; i < count; ++i) numbers.push_back(std::stoll(arguments[i]));
  auto const axes = numbers.begin() + count / 2;
  std::vector<std::int64_t> const shape(numbers.begin() + 1, axes);
  std::int64_t bytes = numbers.front();
  for (auto const extent : shape) bytes *= extent;

  void *from, *to;
  expect(cudaMalloc(&from, std::size_t(bytes)));
  expect(cudaMalloc(&to, std::size_t(bytes)));
  expect(cudaMemset(from, 1, std::size_t(bytes)));
  auto const plan =
      cornerturn::plan_permute(shape, {axes, numbers.end()}, numbers.front(), {.processor = cornerturn::processor_kind::gpu});
  plan.run(from, to);
  expect(cudaDeviceSynchronize());
  std::puts(plan.describe().c_str());
}
