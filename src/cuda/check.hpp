#pragma once

#include <cuda_runtime_api.h>

#include <string_view>

namespace cornerturn {

/// Throws `error` (kind device) with the call, the device and CUDA's message, unless `status` is cudaSuccess.
void check(cudaError_t status, std::string_view call);

}  // namespace cornerturn
