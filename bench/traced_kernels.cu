// Kernels as a user writes them, with accesses that cornerturn/trace.cuh can record. With an argument they run with it, and the
// program prints their accesses; without one they run plainly, for Nsight Compute to count the same accesses.

#include <cstdio>
#include <vector>

#include "cornerturn/trace.cuh"
#include "expect.hpp"

namespace {

constexpr int kTile = 32, kRows = 36, kCols = 45;

/// Has the functions of a trace, but records nothing.
struct plain {
  template <class T>
  __device__ T const& load(T const& at) const {
    return at;
  }
  template <class T>
  __device__ T& store(T& at) const {
    return at;
  }
};

template <class Trace>
__global__ void naive_transpose(float* out, float const* in, Trace trace) {
  int const x = blockIdx.x * kTile + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < kCols && y < kRows) trace.store(out[x * kRows + y]) = trace.load(in[y * kCols + x]);
}

template <class Trace>
__global__ void padded_transpose(float* out, float const* in, Trace trace) {
  __shared__ float tile[kTile][kTile + 1];
  int x = blockIdx.x * kTile + threadIdx.x, y = blockIdx.y * kTile + threadIdx.y;
  for (int j = 0; j < kTile; j += blockDim.y)
    if (x < kCols && y + j < kRows) trace.store(tile[threadIdx.y + j][threadIdx.x]) = trace.load(in[(y + j) * kCols + x]);
  __syncthreads();
  x = blockIdx.y * kTile + threadIdx.x, y = blockIdx.x * kTile + threadIdx.y;
  for (int j = 0; j < kTile; j += blockDim.y)
    if (x < kRows && y + j < kCols) trace.store(out[(y + j) * kRows + x]) = trace.load(tile[threadIdx.x][threadIdx.y + j]);
}

/// Sums rows of different lengths, of which each thread has one, and skips some elements.
template <class Trace>
__global__ void ragged_sums(float* out, float const* in, Trace trace) {
  __shared__ float sums[128];
  int const row = threadIdx.x, length = (row * 7 + blockIdx.x) % 13;
  float sum = 0;
#pragma unroll 1
  for (int i = 0; i < length; ++i)
    if ((row + i) % 3 != 0) sum += trace.load(in[row * 16 + i]);
  trace.store(sums[row]) = sum;
  __syncthreads();
  if (row % 2 == 0) trace.store(out[blockIdx.x * 64 + row / 2]) = trace.load(sums[row]) + trace.load(sums[row + 1]);
}

template <class Trace>
struct launch {
  char const* name;
  void (*kernel)(float*, float const*, Trace);
  dim3 grid, block;
};

template <class Trace>
std::vector<launch<Trace>> launches() {
  dim3 const block(kTile, 8);
  return {{"naive_transpose", naive_transpose<Trace>, dim3((kCols + 31) / 32, (kRows + 7) / 8), block},
          {"padded_transpose", padded_transpose<Trace>, dim3((kCols + 31) / 32, (kRows + 31) / 32), block},
          {"ragged_sums", ragged_sums<Trace>, 2, 128}};
}

}  // namespace

int main(int count, char**) {
  bool const traced = count > 1;
  constexpr std::size_t kBytes = kRows * kCols * sizeof(float);
  float *in, *out;
  expect(cudaMalloc(&in, kBytes));
  expect(cudaMalloc(&out, kBytes));
  expect(cudaMemset(in, 0, kBytes));
  if (traced)
    for (auto const& each : launches<cornerturn::trace>()) {
      cornerturn::trace_memory const memory;
      each.kernel<<<each.grid, each.block>>>(out, in, memory.get());
      memory.write(stdout, each.name, "traced_kernels.cu");
    }
  else
    for (auto const& each : launches<plain>()) each.kernel<<<each.grid, each.block>>>(out, in, {});
  expect(cudaGetLastError());
  expect(cudaDeviceSynchronize());
}
