#pragma once

#include <cuda_runtime_api.h>

#include <string_view>

namespace cornerturn {

/// Throws `error` with the call, the device, CUDA's message and code, unless `status` is cudaSuccess. Its kind is device or, if CUDA
/// has no memory left, memory.
void check(cudaError_t status, std::string_view call);

}  // namespace cornerturn
