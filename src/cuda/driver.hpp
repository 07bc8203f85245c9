#pragma once

#include <cuda.h>

#include <string_view>

namespace cornerturn {

/// A function of the driver as CUDA 12.0 has it. It is found through the runtime, so that the library loads where there is no
/// driver. Throws `error` where the driver has none.
void* find_driver_function(char const* name);

template <class Function>
Function driver_function(char const* name) {
  return reinterpret_cast<Function>(find_driver_function(name));
}

/// Throws `error` (kind device) naming the call, unless `status` is success.
void check_driver(CUresult status, std::string_view call);

}  // namespace cornerturn
