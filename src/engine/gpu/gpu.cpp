#include "engine/gpu/gpu.hpp"

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <cstddef>
#include <variant>

#include "cuda/check.hpp"
#include "engine/cpu/cpu.hpp"
#include "engine/gpu/devices.hpp"

namespace cornerturn::gpu {
namespace {

std::string version_text(int version) { return fmt::format("{}.{}", version / 1000, version % 1000 / 10); }

void run(transfer const& plan, void const* source, void* destination, void* stream, launch_neighbours const&) {
  auto const up = plan.where == transfer::direction::to_device;
  check(cudaMemcpyAsync(destination, source, std::size_t(plan.bytes), up ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost,
                        static_cast<cudaStream_t>(stream)),
        up ? "cudaMemcpyAsync to the device" : "cudaMemcpyAsync to the host");
}

void run(clearing const& plan, void const*, void* destination, void* stream, launch_neighbours const&) {
  check(cudaMemsetAsync(destination, 0, std::size_t(plan.bytes), static_cast<cudaStream_t>(stream)), "cudaMemsetAsync");
}

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

void run(std::span<step const> steps, plan_memory const& memory, void* stream) {
  for (std::size_t i = 0; i < steps.size(); ++i) {
    auto const& each = steps[i];
    launch_neighbours const neighbours{each.is_beside_last, i + 1 < steps.size() && steps[i + 1].is_beside_last};
    std::visit(
        [&]<class Plan>(Plan const& plan) {
          if constexpr (cpu_families::has<Plan>) {
            if (each.source.role == buffer_role::staging) synchronize(stream);
            cpu::run({&each, 1}, memory);
          } else {
            run(plan, memory.read_by(each), memory.written_by(each), stream, neighbours);
          }
        },
        each.kernel);
  }
}

stream_memory::stream_memory(std::int64_t bytes, void* stream) : stream_(stream) {
  check(cudaMallocAsync(&memory_, std::size_t(bytes), static_cast<cudaStream_t>(stream)), "cudaMallocAsync of the workspace");
}
stream_memory::~stream_memory() { cudaFreeAsync(memory_, static_cast<cudaStream_t>(stream_)); }

}  // namespace cornerturn::gpu
