#pragma once

#include <algorithm>
#include <limits>

#include "block/device.cuh"
#include "cuda/check.hpp"
#include "engine/gpu/launch.hpp"
#include "tile/programs.hpp"

namespace cornerturn::gpu {

template <class Program, class T>
__global__ void __launch_bounds__(Program::kThreads, Program::kBlocks)
    run_program(__grid_constant__ tile::matrices<T> const args) {
  extern __shared__ __align__(1024) char shared[];
  device_block block(shared);
  Program::run(block, args);
}

/// A block may use this much shared memory without asking for more.
inline constexpr int kPlainSharedBytes = 48 << 10;

template <class T>
void launch_elements(plan const& plan, T const* source, T* destination, cudaStream_t stream) {
  if (plan.tiles == 0) return;
  tile::visit_program<T>(plan.kernel, plan.widths, [&]<class Program>(Program program) {
    auto const args =
        tile::matrices<T>::over(program, source + plan.source_offset, destination + plan.destination_offset, plan.shape);
    auto* const kernel = &run_program<Program, T>;
    if constexpr (Program::kSharedBytes > kPlainSharedBytes)
      check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, Program::kSharedBytes),
            "cudaFuncSetAttribute");
    auto const x = std::min<std::int64_t>(plan.tiles, std::numeric_limits<int>::max());
    auto const y = (plan.tiles + x - 1) / x;
    kernel<<<dim3(unsigned(x), unsigned(y)), Program::kThreads, Program::kSharedBytes, stream>>>(args);
    check(cudaGetLastError(), "a kernel launch");
  });
}

}  // namespace cornerturn::gpu
