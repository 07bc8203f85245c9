#include "cuda/driver.hpp"

#include <fmt/format.h>

#include "cornerturn/error.hpp"
#include "cuda/check.hpp"

namespace cornerturn {

void* find_driver_function(char const* name) {
  void* found = nullptr;
  cudaDriverEntryPointQueryResult status;
  constexpr unsigned kSince = 12000;
  check(cudaGetDriverEntryPointByVersion(name, &found, kSince, cudaEnableDefault, &status), "cudaGetDriverEntryPointByVersion");
  if (!found || status != cudaDriverEntryPointSuccess)
    throw error(error_kind::device, fmt::format("the driver has no {}; it must support CUDA 12 or newer", name));
  return found;
}

void check_driver(CUresult status, std::string_view call) {
  if (status != CUDA_SUCCESS)
    throw error(error_kind::device, fmt::format("{} failed with driver error {}", call, int(status)), int(status));
}

}  // namespace cornerturn
