#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "block/device.cuh"
#include "cuda/launch.cuh"
#include "launch/compiled.hpp"
#include "launch/run.hpp"
#include "tile/boxes.hpp"

namespace cornerturn::gpu {

/// A launch with larger clusters must be allowed for its kernel.
inline constexpr int kPortableCluster = 8;

/// True for programs with the member `static constexpr bool kOverlaps = true`. Their launches may overlap.
template <class Program>
inline constexpr bool kOverlaps = requires {
  requires Program::kOverlaps;
};

/// The kernel of a tile program. Blocks of a launch that may overlap wait for the previous launch before they access memory, and
/// let the next launch start only after this wait. The next launch may be another library's kernel that, before its own wait,
/// reads results of the launch two before it; these are complete. For GPUs without TMA, a program that uses TMA is compiled to
/// nothing, and its launch is refused.
template <class Program, class Args>
__global__ void __launch_bounds__(Program::kThreads, Program::kBlocks) run_program(__grid_constant__ Args const args) {
  if constexpr (device_block::kHasTma || !tile::uses_tma<Program>) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    if constexpr (kOverlaps<Program>) {
      cudaGridDependencySynchronize();
      if (gridDim.x <= kMostOverlappingBlocks) cudaTriggerProgrammaticLaunchCompletion();
    }
#endif
    extern __shared__ __align__(1024) char shared[];
    device_block block(shared);
    Program::run(block, args);
  }
}

/// The grid of a launch with these kernel arguments: `job.tiles` if this member is a grid. Otherwise the blocks follow each
/// other, and more than 2^31 - 1 blocks have several rows.
template <class Args>
dim3 grid_of(Args const& args, std::int64_t blocks) {
  if constexpr (requires { args.job.tiles.z; }) {
    grid_shape const& grid = args.job.tiles;
    return dim3(unsigned(grid.x), unsigned(grid.y), unsigned(grid.z));
  } else {
    auto const x = std::min<std::int64_t>(blocks, std::numeric_limits<int>::max()), y = (blocks + x - 1) / x;
    return dim3(unsigned(x), unsigned(y));
  }
}

/// Launches a tile program.
template <class Program, class Args>
void launch(Program, Args const& args, std::int64_t blocks, int shared_bytes, cudaStream_t stream) {
  if (blocks == 0) return;
  auto* const kernel = &run_program<Program, Args>;
  if (shared_bytes > kPlainSharedBytes)
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes), "cudaFuncSetAttribute");
  bool const overlaps = kOverlaps<Program> && blocks <= kMostOverlappingBlocks && overlaps_launches() && gains_by_overlap(stream);
  int const cluster = cluster_of(args);
  if (cluster > kPortableCluster)
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1), "cudaFuncSetAttribute");
  launch_kernel(kernel, {grid_of(args, blocks), Program::kThreads, shared_bytes, overlaps, cluster}, stream, args);
}

template <launch_plan Plan>
void run(Plan const& plan, void const* source, void* destination, void* stream) {
  visit_program(plan, source, destination, [&](auto program, auto const& args, int blocks, int shared_bytes) {
    launch(program, args, blocks, shared_bytes, static_cast<cudaStream_t>(stream));
  });
}

}  // namespace cornerturn::gpu
