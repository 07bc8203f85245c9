#include "engine/gpu/devices.hpp"

#include <fmt/format.h>

#include <vector>

#include "cuda/check.hpp"
#include "cuda/started.hpp"
#include "engine/gpu/gpu.hpp"
#include "problem/fail.hpp"
#include "problem/fork_safe_static.hpp"

namespace cornerturn::gpu {
namespace {

std::vector<std::string> names_of_devices() {
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

}  // namespace

int current_device() {
  int device;
  check(cudaGetDevice(&device), "cudaGetDevice");
  return device;
}

int device_of(void const* pointer) {
  if (!is_cuda_started()) return kHost;
  static bool const usable = why_unavailable().empty();  // asked of every pointer, and the same for a whole process
  if (!usable) return kHost;
  cudaPointerAttributes attributes{};
  if (cudaPointerGetAttributes(&attributes, pointer) != cudaSuccess) {
    cudaGetLastError();
    return kHost;
  }
  if (attributes.type == cudaMemoryTypeDevice) return attributes.device;
  return attributes.type == cudaMemoryTypeManaged ? current_device() : kHost;
}

on_device::on_device(int device) : before_(current_device()), changed_(device != before_) {
  if (changed_) check(cudaSetDevice(device), "cudaSetDevice");
}

on_device::~on_device() {
  if (changed_) cudaSetDevice(before_);
}

std::string device_name(int device) {
  static constinit fork_safe_static<std::vector<std::string> const> known;
  auto const& names = known.get(names_of_devices);  // asking takes milliseconds, and every plan does
  if (device < 0 || device >= int(names.size()))
    refuse("device", device, fmt::format("-1 (the current one) or 0 to {}", names.size() - 1));
  return names[std::size_t(device)];
}

}  // namespace cornerturn::gpu
