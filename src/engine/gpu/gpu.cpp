#include "engine/gpu/gpu.hpp"

#include <fmt/format.h>

#include "cuda/handles.hpp"
#include "problem/fail.hpp"

namespace cornerturn::gpu {
namespace {

std::string version_text(int version) { return fmt::format("{}.{}", version / 1000, version % 1000 / 10); }

}  // namespace

std::string why_unavailable() {
  int driver = 0, runtime = 0, count = 0;
  if (cudaDriverGetVersion(&driver) != cudaSuccess || driver == 0) return "no NVIDIA driver is installed";
  cudaRuntimeGetVersion(&runtime);
  if (driver / 1000 < runtime / 1000)
    return fmt::format("the driver is too old: it serves CUDA {}, and this build needs {}.0 or newer", version_text(driver),
                       runtime / 1000);
  if (auto const status = cudaGetDeviceCount(&count); status != cudaSuccess) {
    cudaGetLastError();
    return fmt::format("no GPU can be used: {}", cudaGetErrorString(status));
  }
  return count ? "" : "no GPU is installed";
}

void run(candidate const& chosen, void const* source, void* destination, void* stream) {
  with_kernel(chosen, [&](auto const& plan) { run(plan, source, destination, stream); });
}

}  // namespace cornerturn::gpu
