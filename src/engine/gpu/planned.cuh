#pragma once

#include "block/device.cuh"
#include "cuda/launch.cuh"
#include "engine/gpu/compiled.hpp"
#include "engine/gpu/planned.hpp"
#include "plan/visit_program.hpp"

namespace cornerturn::gpu {

/// Launches of so few blocks overlap with the next one of theirs on the stream: its blocks start while these end. Where blocks
/// are many, starting the next ones costs more than it gains.
inline constexpr int kOverlapping = 2304;

/// Blocks wait for the launch in front before they touch memory, and let the next launch start only after that wait. The next
/// launch's kernel may be anybody's, and may read, before its own wait, what was written two launches before it.
template <class Program, class Args>
__global__ void __launch_bounds__(Program::kThreads, Program::kBlocks) run_planned(__grid_constant__ Args const args) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize();
  if (gridDim.x <= kOverlapping) cudaTriggerProgrammaticLaunchCompletion();
#endif
  extern __shared__ __align__(1024) char shared[];
  device_block block(shared);
  Program::run(block, args);
}

/// Each plan has a translation unit of its own, for their programs compile slowly.
template <class Plan>
void launch(Plan const& plan, void const* source, void* destination, cudaStream_t stream) {
  visit_program(
      plan, source, destination, [&]<class Program, class Args>(Program, Args const& args, int blocks, int shared_bytes) {
        if (blocks == 0) return;
        auto* const kernel = &run_planned<Program, Args>;
        if (shared_bytes > kPlainSharedBytes)
          check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes), "cudaFuncSetAttribute");
        launch_kernel(kernel, {unsigned(blocks), Program::kThreads, shared_bytes, blocks <= kOverlapping && overlaps_launches()},
                      stream, args);
      });
}

}  // namespace cornerturn::gpu
