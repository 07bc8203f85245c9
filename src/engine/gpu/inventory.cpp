#include "engine/gpu/inventory.hpp"

#include <cuda_runtime_api.h>

#include "cuda/bandwidth.hpp"
#include "cuda/check.hpp"
#include "engine/gpu/gpu.hpp"

namespace cornerturn::gpu {

void take_inventory(build_info& into) {
  into.gpu_built = true;
  into.architectures = CORNERTURN_ARCHITECTURES;
  cudaRuntimeGetVersion(&into.runtime_version);
  cudaDriverGetVersion(&into.driver_version);
  into.gpu_problem = why_unavailable();
  if (!into.gpu_problem.empty()) return;
  int count;
  check(cudaGetDeviceCount(&count), "cudaGetDeviceCount");
  for (int device = 0; device < count; ++device) {
    cudaDeviceProp properties;
    check(cudaGetDeviceProperties(&properties, device), "cudaGetDeviceProperties");
    into.gpus.push_back({properties.name, properties.major, properties.minor, std::int64_t(properties.totalGlobalMem),
                         theoretical_bandwidth_gbs(device)});
  }
}

}  // namespace cornerturn::gpu
