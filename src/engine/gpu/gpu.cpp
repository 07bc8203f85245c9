#include "engine/gpu/gpu.hpp"

#include <fmt/format.h>

#include "cuda/handles.hpp"
#include "engine/gpu/launch.hpp"
#include "engine/gpu/planned.hpp"
#include "engine/gpu/tensor_map.hpp"
#include "plan/last_use.hpp"
#include "plan/visit_use.hpp"
#include "problem/fail.hpp"
#include "tile/elements.hpp"

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

void run(rung_plan const& plan, void const* source, void* destination, void* stream) {
  if (info_of(plan.kernel).moves_boxes())
    if (auto const why = why_no_tma(); !why.empty()) throw error(error_kind::device, why);
  visit_element(plan.element_size, [&]<class T>(T) {
    bool const built = visit_use<kLastUse>(plan, [&]<variant_use Use>(use_constant<Use>) {
      launch_elements<T, Use>(plan, static_cast<T const*>(source), static_cast<T*>(destination),
                              static_cast<cudaStream_t>(stream));
    });
    if (!built) refuse("kernel", name_of(plan.kernel), "a kernel of this build, which was made without those of the ladder");
  });
}

void run(candidate const& chosen, void const* source, void* destination, void* stream) {
  std::visit(
      [&]<class Plan>(Plan const& plan) {
        if constexpr (std::is_same_v<Plan, cpu_plan>)
          throw std::bad_variant_access();
        else
          run(plan, source, destination, static_cast<cudaStream_t>(stream));
      },
      chosen.kernel);
}

}  // namespace cornerturn::gpu
