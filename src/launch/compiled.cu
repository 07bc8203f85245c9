#include <array>
#include <atomic>

#include "cuda/check.hpp"
#include "launch/compiled.hpp"

namespace cornerturn::gpu {
namespace {

__global__ void probe() {}

}  // namespace

int compiled_capability() {
  cudaFuncAttributes attributes;
  check(cudaFuncGetAttributes(&attributes, probe), "cudaFuncGetAttributes");
  return attributes.ptxVersion;
}

bool overlaps_launches() {
  enum : int { unknown, no, yes };
  constexpr int kMostDevices = 64;
  static std::array<std::atomic<int>, kMostDevices> known{};
  int device;
  check(cudaGetDevice(&device), "cudaGetDevice");
  if (device >= kMostDevices) return false;
  auto& each = known[std::size_t(device)];
  if (each == unknown) each = compiled_capability() >= 90 ? yes : no;
  return each == yes;
}

}  // namespace cornerturn::gpu
