#pragma once

#include <cuda_runtime.h>
#include <errno.h>

#include <cstdio>
#include <cstdlib>

/// Prints CUDA's message and exits unless `status` is cudaSuccess.
inline void expect(cudaError_t status) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", program_invocation_short_name, cudaGetErrorString(status));
  std::exit(1);
}
