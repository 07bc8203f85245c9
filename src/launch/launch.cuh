#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "block/device.cuh"
#include "cuda/launch.cuh"
#include "launch/compiled.hpp"
#include "tile/boxes.hpp"

namespace cornerturn::gpu {

/// Launches of so few blocks overlap with the next one of theirs on the stream: its blocks start while these end. Where blocks
/// are many, starting the next ones costs more than it gains.
inline constexpr int kOverlapping = 2304;

/// A program whose launches may overlap says so by a constant: `static constexpr bool kOverlaps = true`.
template <class Program>
inline constexpr bool kOverlaps = requires {
  requires Program::kOverlaps;
};

/// TMA is not compiled for GPUs that have none, where a launch is refused before it gets here.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
inline constexpr bool kHasTma = false;
#else
inline constexpr bool kHasTma = true;
#endif

/// Blocks of a launch that may overlap wait for the launch in front before they touch memory, and let the next launch start only
/// after that wait. The next launch's kernel may be anybody's, and may read, before its own wait, what was written two launches
/// before it.
template <class Program, class Args>
__global__ void __launch_bounds__(Program::kThreads, Program::kBlocks) run_program(__grid_constant__ Args const args) {
  if constexpr (kHasTma || !tile::uses_tma<Program>) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    if constexpr (kOverlaps<Program>) {
      cudaGridDependencySynchronize();
      if (gridDim.x <= kOverlapping) cudaTriggerProgrammaticLaunchCompletion();
    }
#endif
    extern __shared__ __align__(1024) char shared[];
    device_block block(shared);
    Program::run(block, args);
  }
}

/// Launches a tile program. Blocks beyond the largest grid of one dimension go into rows of the grid.
template <class Program, class Args>
void launch(Program, Args const& args, std::int64_t blocks, int shared_bytes, cudaStream_t stream) {
  if (blocks == 0) return;
  auto* const kernel = &run_program<Program, Args>;
  if (shared_bytes > kPlainSharedBytes)
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes), "cudaFuncSetAttribute");
  auto const x = std::min<std::int64_t>(blocks, std::numeric_limits<int>::max()), y = (blocks + x - 1) / x;
  bool const overlaps = kOverlaps<Program> && blocks <= kOverlapping && overlaps_launches();
  launch_kernel(kernel, {dim3(unsigned(x), unsigned(y)), Program::kThreads, shared_bytes, overlaps}, stream, args);
}

}  // namespace cornerturn::gpu
