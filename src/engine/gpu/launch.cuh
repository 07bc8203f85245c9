#pragma once

#include <algorithm>
#include <limits>

#include "block/device.cuh"
#include "cuda/launch.cuh"
#include "engine/gpu/launch.hpp"
#include "engine/gpu/tensor_map.hpp"
#include "tile/boxes.hpp"
#include "tile/programs.hpp"

namespace cornerturn::gpu {

/// TMA is not compiled for GPUs that have none, where a launch is refused before it gets here.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
inline constexpr bool kHasTma = false;
#else
inline constexpr bool kHasTma = true;
#endif

template <class Program, class Args>
__global__ void __launch_bounds__(Program::kThreads, Program::kBlocks) run_program(__grid_constant__ Args const args) {
  if constexpr (kHasTma || !tile::moves_boxes<Program>) {
    extern __shared__ __align__(1024) char shared[];
    device_block block(shared);
    Program::run(block, args);
  }
}

template <class Program, class T>
void launch_program(Program, tile::matrices<T> const& matrices, std::int64_t blocks, cudaStream_t stream) {
  auto const args = tile::with_boxes<Program>(matrices, encode);
  auto* const kernel = &run_program<Program, std::remove_cv_t<decltype(args)>>;
  if constexpr (Program::kSharedBytes > kPlainSharedBytes)
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, Program::kSharedBytes),
          "cudaFuncSetAttribute");
  auto const x = std::min<std::int64_t>(blocks, std::numeric_limits<int>::max());
  auto const y = (blocks + x - 1) / x;
  launch_kernel(kernel, {dim3(unsigned(x), unsigned(y)), Program::kThreads, Program::kSharedBytes}, stream, args);
}

template <class T, variant_use Use>
void launch_elements(rung_plan const& plan, T const* source, T* destination, cudaStream_t stream) {
  if (plan.blocks == 0) return;
  tile::visit_program<T, Use>(plan.kernel, plan.widths, plan.tile, [&]<class Program>(Program program) {
    launch_program(
        program, tile::matrices<T>::over(program, source + plan.source_offset, destination + plan.destination_offset, plan.shape),
        plan.blocks, stream);
  });
}

}  // namespace cornerturn::gpu
