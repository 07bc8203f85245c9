// Runs the plan for a permutation of a dense array once, between two buffers of cudaMalloc, for bench/counters.py to profile:
// run_plan ELEMENT_SIZE|TYPE:TYPE EXTENT... AXIS..., with as many axes as extents. Elements of two types change. Prints the plan.

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
    std::fprintf(stderr, "usage: run_plan ELEMENT_SIZE|TYPE:TYPE EXTENT... AXIS...\n");
    return 2;
  }
  using namespace cornerturn;
  std::string const element = arguments[1];
  auto const colon = element.find(':');
  std::vector<std::int64_t> numbers;
  for (int i = 2; i < count; ++i) numbers.push_back(std::stoll(arguments[i]));
  auto const axes_begin = numbers.begin() + (count - 2) / 2;
  std::vector<std::int64_t> const shape(numbers.begin(), axes_begin), axes(axes_begin, numbers.end());
  std::int64_t bytes = 16;  // room for elements of any type
  for (auto const extent : shape) bytes *= extent;

  void *from, *to;
  expect(cudaMalloc(&from, std::size_t(bytes)));
  expect(cudaMalloc(&to, std::size_t(bytes)));
  expect(cudaMemset(from, 1, std::size_t(bytes)));
  plan_options const on_gpu{.processor = processor_kind::gpu};
  auto const plan = colon == std::string::npos ? plan_permute(shape, axes, std::stoll(element), on_gpu)
                                               : plan_permute(shape, axes,
                                                              element_operation{element_type_named(element.substr(0, colon)),
                                                                                element_type_named(element.substr(colon + 1))},
                                                              on_gpu);
  plan.run(from, to);
  expect(cudaDeviceSynchronize());
  std::puts(plan.describe().c_str());
}
