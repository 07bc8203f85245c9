#include "block/device.cuh"
#include "cuda/check.hpp"
#include "engine/gpu/unaligned.hpp"
#include "tile/elements.hpp"
#include "tile/unaligned.hpp"

namespace cornerturn::gpu {
namespace {

template <class Program, class Args>
__global__ void __launch_bounds__(Program::kThreads, Program::kBlocks) run_unaligned(__grid_constant__ Args const args) {
  extern __shared__ __align__(1024) char shared[];
  device_block block(shared);
  Program::run(block, args);
}

}  // namespace

void run(unaligned_plan const& plan, void const* source, void* destination, cudaStream_t stream) {
  visit_element(plan.element_size, [&]<class T>(T) {
    if constexpr (sizeof(T) <= 2) {
      auto const args = tile::unaligned_matrices<T>::over(static_cast<T const*>(source) + plan.source_offset,
                                                          static_cast<T*>(destination) + plan.destination_offset, plan.job);
      tile::visit_unaligned<T>(plan.tile, [&]<class Program>(Program) {
        run_unaligned<Program><<<unsigned(plan.job.count), Program::kThreads, Program::kSharedBytes, stream>>>(args);
        check(cudaGetLastError(), "a kernel launch");
      });
    }
  });
}

}  // namespace cornerturn::gpu
