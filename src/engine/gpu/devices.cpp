#include "engine/gpu/devices.hpp"

#include <fmt/format.h>

#include <vector>

#include "cuda/check.hpp"
#include "cuda/driver.hpp"
#include "cuda/started.hpp"
#include "engine/gpu/gpu.hpp"
#include "problem/fail.hpp"
#include "problem/fork_safe_static.hpp"

namespace cornerturn::gpu {
namespace {

std::vector<std::string> names_of_devices() {
  if (!why_unavailable().empty()) return {};
  int count;
  check(cudaGetDeviceCount(&count), "cudaGetDeviceCount");
  std::vector<std::string> names;
  for (int device = 0; device < count; ++device) {
    cudaDeviceProp properties;
    check(cudaGetDeviceProperties(&properties, device), "cudaGetDeviceProperties");
    names.emplace_back(properties.name);
  }
  return names;
}

/// What the driver does for contexts.
struct context_functions {
  decltype(&cuDevicePrimaryCtxRetain) retain = driver_function<decltype(retain)>("cuDevicePrimaryCtxRetain");
  decltype(&cuDevicePrimaryCtxRelease) release = driver_function<decltype(release)>("cuDevicePrimaryCtxRelease");
  decltype(&cuCtxPushCurrent) push = driver_function<decltype(push)>("cuCtxPushCurrent");
  decltype(&cuCtxPopCurrent) pop = driver_function<decltype(pop)>("cuCtxPopCurrent");
};

context_functions const& contexts() {
  static context_functions const found;
  return found;
}

}  // namespace

int current_device() {
  int device;
  check(cudaGetDevice(&device), "cudaGetDevice");
  return device;
}

pointer_attributes attributes_of(void const* pointer) {
  using memory = pointer_attributes::memory;
  if (!is_cuda_started()) return {};
  static bool const usable = why_unavailable().empty();  // asked of every pointer, and the same for a whole process
  if (!usable) return {};
  cudaPointerAttributes attributes{};
  if (cudaPointerGetAttributes(&attributes, pointer) != cudaSuccess) {
    cudaGetLastError();
    return {};
  }
  switch (attributes.type) {
    case cudaMemoryTypeHost:
      return {.type = memory::host};
    case cudaMemoryTypeDevice:
      return {.type = memory::device, .device = attributes.device};
    case cudaMemoryTypeManaged:
      return {.type = memory::managed, .device = current_device()};
    default:
      return {};
  }
}

bool is_capturing(void* stream) {
  if (!is_cuda_started()) return false;
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

std::string device_name(int device) {
  static constinit fork_safe_static<std::vector<std::string> const> known;
  auto const& names = known.get(names_of_devices);  // asking takes milliseconds, and every plan does
  if (names.empty()) refuse("device", device, fmt::format("-1 here: {}", why_unavailable()));
  if (device < 0 || device >= int(names.size()))
    refuse("device", device, fmt::format("-1 (the current one) or 0 to {}", names.size() - 1));
  return names[std::size_t(device)];
}

}  // namespace cornerturn::gpu
