#include "engine/gpu/devices.hpp"

#include <fmt/format.h>

#include <vector>

#include "base/fork_safe_static.hpp"
#include "base/refuse.hpp"
#include "cuda/bandwidth.hpp"
#include "cuda/check.hpp"
#include "cuda/driver.hpp"
#include "cuda/started.hpp"
#include "engine/gpu/gpu.hpp"

namespace cornerturn::gpu {
namespace {

std::vector<gpu_model> models_of_devices() {
  if (!why_unavailable().empty()) return {};
  int count;
  check(cudaGetDeviceCount(&count), "cudaGetDeviceCount");
  std::vector<gpu_model> models;
  for (int device = 0; device < count; ++device) models.push_back(model_for(attributes_of_device(device)));
  return models;
}

/// The driver's functions for contexts.
struct context_functions {
  decltype(&cuDevicePrimaryCtxRetain) retain = driver_function<decltype(retain)>("cuDevicePrimaryCtxRetain");
  decltype(&cuDevicePrimaryCtxRelease) release = driver_function<decltype(release)>("cuDevicePrimaryCtxRelease");
  decltype(&cuCtxPushCurrent) push = driver_function<decltype(push)>("cuCtxPushCurrent");
  decltype(&cuCtxPopCurrent) pop = driver_function<decltype(pop)>("cuCtxPopCurrent");
};

context_functions const& contexts() {
  static constinit fork_safe_static<context_functions const> found;
  return found.get([] { return context_functions(); });
}

/// True if a GPU can be used. The result is constant in a process and cached, because every pointer needs it.
bool is_usable() {
  static constinit fork_safe_static<bool const> known;
  return known.get([] { return why_unavailable().empty(); });
}

}  // namespace

int current_device() {
  int device;
  check(cudaGetDevice(&device), "cudaGetDevice");
  return device;
}

bool has_memory() { return is_cuda_started() && is_usable(); }

pointer_attributes attributes_of(void const* pointer) {
  using memory = pointer_attributes::memory;
  cudaPointerAttributes attributes{};
  if (cudaPointerGetAttributes(&attributes, pointer) != cudaSuccess) {
    cudaGetLastError();
    return {.type = memory::unregistered};
  }
  switch (attributes.type) {
    case cudaMemoryTypeHost:
      return {.type = memory::host};
    case cudaMemoryTypeDevice:
      return {.type = memory::device, .device = attributes.device};
    case cudaMemoryTypeManaged:
      return {.type = memory::managed, .device = current_device()};
    default:
      return {.type = memory::unregistered};
  }
}

bool is_capturing(void* stream) {
  cudaStreamCaptureStatus status;
  auto const result = cudaStreamIsCapturing(static_cast<cudaStream_t>(stream), &status);
  if (result == cudaErrorStreamCaptureImplicit) {
    cudaGetLastError();
    return true;
  }
  check(result, "cudaStreamIsCapturing");
  return status != cudaStreamCaptureStatusNone;
}

void synchronize(void* stream) { check(cudaStreamSynchronize(static_cast<cudaStream_t>(stream)), "cudaStreamSynchronize"); }

device_context::device_context(int device) : device_(device) {
  check(cudaInitDevice(device, 0, 0), "cudaInitDevice");  // the runtime then holds the context, too, beyond this object's life
  CUcontext context;
  check_driver(contexts().retain(&context, device_), "cuDevicePrimaryCtxRetain");
  if (auto const status = contexts().push(context); status != CUDA_SUCCESS) {
    contexts().release(device_);
    check_driver(status, "cuCtxPushCurrent");
  }
}

device_context::~device_context() {
  CUcontext context;
  contexts().pop(&context);
  contexts().release(device_);
}

on_device::on_device(int device) {
  if (device != current_device()) changed_.emplace(device);
}

namespace {

/// Every GPU with clusters has clusters of 8 blocks. Data-centre GPUs have clusters of 16, unless MIG leaves them a part of the
/// SMs.
int cluster_blocks_of(cudaDeviceProp const& properties) {
  constexpr int kWholeGpu = 100;  // SMs
  if (!properties.clusterLaunch) return 1;
  return properties.major <= 10 && properties.multiProcessorCount >= kWholeGpu ? 16 : 8;
}

}  // namespace

gpu_attributes attributes_of_device(int device) {
  cudaDeviceProp properties;
  check(cudaGetDeviceProperties(&properties, device), "cudaGetDeviceProperties");
  int clock_khz;
  check(cudaDeviceGetAttribute(&clock_khz, cudaDevAttrClockRate, device), "cudaDeviceGetAttribute");
  return {.name = properties.name,
          .sm_count = properties.multiProcessorCount,
          .clock_hz = 1e3 * clock_khz,
          .memory_bytes_per_second = 1e9 * theoretical_bandwidth_gbs(device),
          .l2_bytes = double(properties.l2CacheSize),
          .threads_per_sm = properties.maxThreadsPerMultiProcessor,
          .registers_per_sm = properties.regsPerMultiprocessor,
          .blocks_per_sm = properties.maxBlocksPerMultiProcessor,
          .shared_bytes_per_sm = int(properties.sharedMemPerMultiprocessor),
          .reserved_shared_bytes = int(properties.reservedSharedMemPerBlock),
          .cluster_blocks = cluster_blocks_of(properties)};
}

gpu_model const& model_of(int device) {
  static constinit fork_safe_static<std::vector<gpu_model> const> known;
  auto const& models = known.get(models_of_devices);  // CUDA takes milliseconds to report them, and every plan needs one
  if (models.empty()) refuse("device", device, fmt::format("-1 here: {}", why_unavailable()));
  if (device < 0 || device >= int(models.size()))
    refuse("device", device, fmt::format("-1 (the current one) or 0 to {}", models.size() - 1));
  return models[std::size_t(device)];
}

}  // namespace cornerturn::gpu
