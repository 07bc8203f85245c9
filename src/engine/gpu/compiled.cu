#include "cuda/check.hpp"
#include "engine/gpu/compiled.hpp"

namespace cornerturn::gpu {
namespace {

__global__ void probe() {}

}  // namespace

int compiled_capability() {
  cudaFuncAttributes attributes;
  check(cudaFuncGetAttributes(&attributes, probe), "cudaFuncGetAttributes");
  return attributes.ptxVersion;
}

}  // namespace cornerturn::gpu
