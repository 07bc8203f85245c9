#pragma once

#include <cuda_runtime.h>
#include <errno.h>

#include <cstdio>
#include <cstdlib>

/// Ends the program, with CUDA's own words, unless `status` is success.
inline void expect(cudaError_t status) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", program_invocation_short_name, cudaGetErrorString(status));
  std::exit(1);
}
