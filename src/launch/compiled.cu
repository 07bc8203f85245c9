#include <array>
#include <atomic>
#include <cstddef>
#include <string_view>

#include "cuda/check.hpp"
#include "launch/compiled.hpp"

namespace cornerturn::gpu {
namespace {

__global__ void probe() {}

/// The node after which a capture adds the stream's next node. Empty if there are several or none.
struct capture_front {
  bool is_capturing = false;
  cudaGraphNode_t node = nullptr;
};

capture_front front_of(cudaStream_t stream) {
  cudaStreamCaptureStatus status;
  cudaGraphNode_t const* nodes = nullptr;
  cudaGraphEdgeData const* edges = nullptr;
  std::size_t count = 0;
#if CUDART_VERSION >= 13000
  auto const result = cudaStreamGetCaptureInfo(stream, &status, nullptr, nullptr, &nodes, &edges, &count);
#else
  auto const result = cudaStreamGetCaptureInfo_v3(stream, &status, nullptr, nullptr, &nodes, &edges, &count);
#endif
  if (result == cudaErrorStreamCaptureImplicit) {
    cudaGetLastError();  // the launch itself is refused
    return {};
  }
  check(result, "cudaStreamGetCaptureInfo");
  if (status == cudaStreamCaptureStatusNone) return {};
  return {true, count == 1 ? *nodes : nullptr};
}

/// True for a launch of `run_program` in few blocks.
bool is_ours(cudaGraphNode_t node) {
  cudaGraphNodeType type;
  check(cudaGraphNodeGetType(node, &type), "cudaGraphNodeGetType");
  if (type != cudaGraphNodeTypeKernel) return false;
  cudaKernelNodeParams launch;
  char const* name;
  // a kernel that another library loaded by the driver has no name here
  if (cudaGraphKernelNodeGetParams(node, &launch) != cudaSuccess || cudaFuncGetName(&name, launch.func) != cudaSuccess) {
    cudaGetLastError();
    return false;
  }
  auto const blocks = double(launch.gridDim.x) * launch.gridDim.y * launch.gridDim.z;
  return blocks <= kMostOverlappingBlocks && std::string_view(name).starts_with("_ZN10cornerturn3gpu11run_program");
}

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

bool gains_by_overlap(cudaStream_t stream) {
  auto const front = front_of(stream);
  return !front.is_capturing || (front.node && is_ours(front.node));
}

}  // namespace cornerturn::gpu
