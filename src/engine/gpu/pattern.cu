#include "cuda/handles.hpp"
#include "cuda/launch.cuh"
#include "engine/gpu/pattern.hpp"
#include "tile/elements.hpp"

namespace cornerturn::gpu {
namespace {

constexpr int kBlocks = 1056, kThreads = 256;

/// Mixes all bits of an index into all bits of the result (the finaliser of splitmix64, by Sebastiano Vigna).
__device__ std::uint64_t mix(std::uint64_t x) {
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return x ^ x >> 31;
}

template <class T>
__device__ T pattern(std::int64_t index) {
  constexpr std::uint64_t kFinite =
      0xbfffffffbfffffffu;  // an exponent bit stays 0: no NaNs, whose bits arithmetic (geam) may change
  auto const low = mix(std::uint64_t(index) + 1) & (sizeof(T) < 4 ? ~std::uint64_t(0) : kFinite);
  if constexpr (sizeof(T) == 16)
    return {low, mix(~std::uint64_t(index)) & kFinite};
  else
    return T(low);
}

template <class T>
__device__ bool same(T const& a, T const& b) {
  if constexpr (sizeof(T) == 16)
    return a.low == b.low && a.high == b.high;
  else
    return a == b;
}

template <class T>
__global__ void fill(T* memory, std::int64_t count) {
  for (std::int64_t i = blockIdx.x * std::int64_t(kThreads) + threadIdx.x; i < count; i += std::int64_t(kBlocks) * kThreads)
    memory[i] = pattern<T>(i);
}

template <class T>
__global__ void compare(T const* memory, std::int64_t rows, std::int64_t cols, bool transposed, unsigned long long* wrong) {
  for (std::int64_t i = blockIdx.x * std::int64_t(kThreads) + threadIdx.x; i < rows * cols;
       i += std::int64_t(kBlocks) * kThreads) {
    std::int64_t const from = transposed ? i % rows * cols + i / rows : i;
    if (!same(memory[i], pattern<T>(from))) atomicAdd(wrong, 1ull);
  }
}

}  // namespace

void fill_pattern(void* memory, std::int64_t count, int element_size, cudaStream_t stream) {
  visit_element(element_size, [&]<class T>(T) {
    launch_kernel(&fill<T>, {kBlocks, kThreads}, stream, static_cast<T*>(memory), count);
  });
}

std::int64_t count_wrong(void const* destination, std::int64_t rows, std::int64_t cols, int element_size, bool transposed,
                         cudaStream_t stream) {
  auto const counter = allocate_device(sizeof(unsigned long long));
  check(cudaMemsetAsync(counter.get(), 0, sizeof(unsigned long long), stream), "cudaMemsetAsync");
  visit_element(element_size, [&]<class T>(T) {
    launch_kernel(&compare<T>, {kBlocks, kThreads}, stream, static_cast<T const*>(destination), rows, cols, transposed,
                  static_cast<unsigned long long*>(counter.get()));
  });
  unsigned long long wrong;
  check(cudaMemcpyAsync(&wrong, counter.get(), sizeof wrong, cudaMemcpyDeviceToHost, stream), "cudaMemcpyAsync");
  check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  return std::int64_t(wrong);
}

}  // namespace cornerturn::gpu
