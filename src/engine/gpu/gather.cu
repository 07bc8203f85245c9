#include "block/device.cuh"
#include "cuda/check.hpp"
#include "engine/gpu/gather.hpp"
#include "tile/elements.hpp"
#include "tile/gather_programs.hpp"

namespace cornerturn::gpu {
namespace {

template <class Program, class Args>
__global__ void __launch_bounds__(Program::kThreads, Program::kBlocks) run_gather(__grid_constant__ Args const args) {
  extern __shared__ __align__(1024) char shared[];
  device_block block(shared);
  Program::run(block, args);
}

/// A block may use this much shared memory without asking for more.
constexpr int kPlainSharedBytes = 48 << 10;

}  // namespace

void run(gather_plan const& plan, void const* source, void* destination, cudaStream_t stream) {
  if (plan.job.tiles == 0) return;
  visit_element(plan.element_size, [&]<class T>(T) {
    auto const args = tile::gathering<T>::over(static_cast<T const*>(source) + plan.source_offset,
                                               static_cast<T*>(destination) + plan.destination_offset, plan.job);
    tile::visit_gather<T>(plan.form, [&]<class Program>(Program) {
      auto* const kernel = &run_gather<Program, tile::gathering<T>>;
      if (plan.job.shared_bytes > kPlainSharedBytes)
        check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, plan.job.shared_bytes),
              "cudaFuncSetAttribute");
      kernel<<<unsigned(plan.job.tiles), Program::kThreads, std::size_t(plan.job.shared_bytes), stream>>>(args);
      check(cudaGetLastError(), "a kernel launch");
    });
  });
}

}  // namespace cornerturn::gpu
