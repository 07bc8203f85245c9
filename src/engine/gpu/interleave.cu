#include "block/device.cuh"
#include "cuda/check.hpp"
#include "engine/gpu/interleave.hpp"
#include "tile/elements.hpp"
#include "tile/interleave.hpp"

namespace cornerturn::gpu {
namespace {

template <class Program, class Args>
__global__ void __launch_bounds__(Program::kThreads) run_interleave(__grid_constant__ Args const args) {
  extern __shared__ __align__(1024) char shared[];
  device_block block(shared);
  Program::run(block, args);
}

}  // namespace

void run(interleave_plan const& plan, void const* source, void* destination, cudaStream_t stream) {
  visit_element(plan.element_size, [&]<class T>(T) {
    if constexpr (sizeof(T) < 16) {
      tile::interleaving<T> const args{static_cast<T const*>(source) + plan.source_offset,
                                       static_cast<T*>(destination) + plan.destination_offset, plan.job};
      tile::visit_interleave<T>(plan.few, plan.together, [&]<class Program>(Program) {
        auto const blocks = unsigned(plan.job.count + Program::kThreads - 1) / Program::kThreads;
        run_interleave<Program><<<blocks, Program::kThreads, Program::kSharedBytes, stream>>>(args);
        check(cudaGetLastError(), "a kernel launch");
      });
    }
  });
}

}  // namespace cornerturn::gpu
