#pragma once

#include <cuda.h>

#include <string_view>

namespace cornerturn {

/// Looks up a driver function in its CUDA 12.0 version through the runtime, so that the library loads without a driver. Throws
/// `error` if the driver lacks the function.
void* find_driver_function(char const* name);

/// Like find_driver_function, with the function's type.
template <class Function>
Function driver_function(char const* name) {
  return reinterpret_cast<Function>(find_driver_function(name));
}

/// Throws `error` (kind device) with the call and the code, unless `status` is CUDA_SUCCESS. A CUresult is numbered like the
/// cudaError_t of the same cause.
void check_driver(CUresult status, std::string_view call);

}  // namespace cornerturn
