#include "cuda/check.hpp"

#include <fmt/format.h>

#include "cornerturn/error.hpp"

namespace cornerturn {

void check(cudaError_t status, std::string_view call) {
  if (status == cudaSuccess) return;
  int device = -1;
  cudaDeviceProp properties{};
  bool const known = cudaGetDevice(&device) == cudaSuccess && cudaGetDeviceProperties(&properties, device) == cudaSuccess;
  cudaGetLastError();  // clears the error, which the caller's next cudaGetLastError would report again
  throw error(status == cudaErrorMemoryAllocation ? error_kind::memory : error_kind::device,
              fmt::format("{} failed on {}: {} ({})", call,
                          known ? fmt::format("device {} ({})", device, properties.name) : "no device",
                          cudaGetErrorString(status), cudaGetErrorName(status)),
              int(status));
}

}  // namespace cornerturn
