#pragma once

#include <cuda_runtime_api.h>

#include <string_view>

namespace cornerturn {

/// Throws `error` (kind device) naming the call, the device and CUDA's own words, unless `status` is success.
void check(cudaError_t status, std::string_view call);

}  // namespace cornerturn
