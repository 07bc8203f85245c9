#include "engine/gpu/peers.hpp"

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <vector>

#include "base/fork_safe_static.hpp"
#include "base/refuse.hpp"
#include "cuda/check.hpp"
#include "cuda/driver.hpp"
#include "cuda/handles.hpp"
#include "engine/gpu/devices.hpp"

namespace cornerturn::gpu {
namespace {

using pointer_query = decltype(&cuPointerGetAttribute);

pointer_query query() {
  static constinit fork_safe_static<pointer_query const> found;
  return found.get([] { return driver_function<pointer_query>("cuPointerGetAttribute"); });
}

/// True if the current device may write the memory. Enabling the access of peers allows it for memory of cudaMalloc, which is
/// also the memory that has CUDA's handles for IPC. Memory of pools and of virtual allocations has its own permissions.
bool may_write(void const* memory) {
  auto const address = reinterpret_cast<CUdeviceptr>(memory);
  int is_of_malloc = 0;
  auto const status = query()(&is_of_malloc, CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE, address);
  if (status != CUDA_SUCCESS || is_of_malloc) return true;
  CUmemAccess_flags allowed{};
  check_driver(query()(&allowed, CU_POINTER_ATTRIBUTE_ACCESS_FLAGS, address), "cuPointerGetAttribute");
  return allowed == CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
}

}  // namespace

void expect_peer_access(int device, int owner, void const* memory, std::string_view name) {
  if (device == owner) return;
  int can = 0;
  check(cudaDeviceCanAccessPeer(&can, device, owner), "cudaDeviceCanAccessPeer");
  if (!can)
    refuse(name, fmt::format("memory of device {}", owner),
           fmt::format("memory that device {} can access, as peers by NVLink or PCIe", device));
  on_device const current(device);
  if (auto const status = cudaDeviceEnablePeerAccess(owner, 0); status == cudaErrorPeerAccessAlreadyEnabled)
    cudaGetLastError();
  else
    check(status, "cudaDeviceEnablePeerAccess");
  if (!may_write(memory))
    refuse(name, fmt::format("memory of device {} to which device {} has no access", owner, device),
           "memory of cudaMalloc, or of a pool or mapping with cudaMemPoolSetAccess or cuMemSetAccess for that device");
}

void join(std::span<device_stream const> streams) {
  if (streams.size() < 2) return;
  std::vector<event_handle> events;
  for (auto const& each : streams) {
    on_device const current(each.device);
    events.push_back(recorded_event(static_cast<cudaStream_t>(each.stream)));
  }
  for (std::size_t i = 0; i < streams.size(); ++i) {
    on_device const current(streams[i].device);
    for (std::size_t k = 0; k < streams.size(); ++k)
      if (k != i) wait_for(events[k], static_cast<cudaStream_t>(streams[i].stream));
  }
}

}  // namespace cornerturn::gpu
