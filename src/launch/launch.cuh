#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "base/round.hpp"
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

/// True for programs with the member `static constexpr bool kRunsBeside = true`. Their launches may run beside the previous one.
template <class Program>
inline constexpr bool kRunsBeside = requires {
  requires Program::kRunsBeside;
};

/// The kernel arguments of a launch that may run beside the previous one. Other kernels do not have the order, because the code
/// that nvcc makes of a gather was up to 2.4 times as slow with it.
template <class Args>
struct ordered {
  Args args;
  bool waits_at_end;  ///< for the previous launch; else before it accesses memory
  int most_blocks;    ///< a launch of more blocks does not let the next launch start early
};

/// The kernel of a tile program. Blocks of a launch that may overlap wait for the previous launch before they access memory, and
/// let the next launch start only after this wait. The next launch may be another library's kernel that, before its own wait,
/// reads results of the launch two before it; these are complete. A launch that runs beside the previous one starts after that
/// one's wait, and is complete only with it. For GPUs without TMA, a program that uses TMA is compiled to nothing, and its launch
/// is refused.
template <class Program, class Args>
__global__ void __launch_bounds__(Program::kThreads, Program::kBlocks) run_program(__grid_constant__ Args const args) {
  if constexpr (device_block::kHasTma || !tile::uses_tma<Program>) {
    extern __shared__ __align__(1024) char shared[];
    device_block block(shared);
    if constexpr (kRunsBeside<Program>) {
      if (!args.waits_at_end) device_block::wait_for_previous_launch();
      if (gridDim.x <= args.most_blocks) device_block::let_next_launch_start();
      Program::run(block, args.args);
      if (args.waits_at_end) device_block::wait_for_previous_launch();
    } else {
      if constexpr (kOverlaps<Program>) {
        device_block::wait_for_previous_launch();
        if (gridDim.x <= kMostOverlappingBlocks) device_block::let_next_launch_start();
      }
      Program::run(block, args);
    }
  }
}

/// The grid of a launch with these kernel arguments: `job.tiles` if this member is a grid. Otherwise the blocks follow each
/// other, and more than 2^31 - 1 blocks have several rows. So have more blocks than a kernel lets overlap, if the next launch is
/// to run beside this one and they divide into a few more rows: a kernel looks at the length of a row only.
template <class Args>
dim3 grid_of(Args const& args, std::int64_t blocks, bool is_beside_next) {
  if constexpr (requires { args.job.tiles.z; }) {
    grid_shape const& grid = args.job.tiles;
    return dim3(unsigned(grid.x), unsigned(grid.y), unsigned(grid.z));
  } else {
    constexpr std::int64_t kMostRows = 65535, kTried = 64;  // more divisions would delay the launch
    auto x = std::min<std::int64_t>(blocks, std::numeric_limits<int>::max());
    if (is_beside_next) {
      auto const least = ceil_div(blocks, kMostOverlappingBlocks), end = std::min(least + kTried, kMostRows + 1);
      for (auto rows = least; rows < end; ++rows)
        if (blocks % rows == 0) {
          x = blocks / rows;
          break;
        }
    }
    return dim3(unsigned(x), unsigned(ceil_div(blocks, x)));
  }
}

/// Launches a tile program. A launch beside the previous one lets the next launch start when both are complete, unless that one
/// is beside them.
template <class Program, class Args>
void launch(Program, Args const& args, std::int64_t blocks, int shared_bytes, cudaStream_t stream,
            launch_neighbours const& neighbours = {}) {
  if (blocks == 0) return;
  bool const can_overlap = kOverlaps<Program> && overlaps_launches(),
             is_beside = kRunsBeside<Program> && can_overlap && neighbours.is_beside_last;
  int const cluster = cluster_of(args);
  auto const start = [&](auto* kernel, auto const& all_args) {
    if (shared_bytes > kPlainSharedBytes)
      check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes), "cudaFuncSetAttribute");
    if (cluster > kPortableCluster)
      check(cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1), "cudaFuncSetAttribute");
    bool const overlaps = is_beside || (can_overlap && blocks <= kMostOverlappingBlocks && gains_by_overlap(stream));
    launch_kernel(kernel, {grid_of(args, blocks, neighbours.is_beside_next), Program::kThreads, shared_bytes, overlaps, cluster},
                  stream, all_args);
  };
  if constexpr (kRunsBeside<Program>) {
    int const most_blocks = neighbours.is_beside_next ? std::numeric_limits<int>::max() : is_beside ? 0 : kMostOverlappingBlocks;
    start(&run_program<Program, ordered<Args>>, ordered<Args>{args, is_beside, most_blocks});
  } else {
    start(&run_program<Program, Args>, args);
  }
}

template <launch_plan Plan>
void run(Plan const& plan, void const* source, void* destination, void* stream, launch_neighbours const& neighbours) {
  visit_program(plan, source, destination, [&](auto program, auto const& args, int blocks, int shared_bytes) {
    launch(program, args, blocks, shared_bytes, static_cast<cudaStream_t>(stream), neighbours);
  });
}

}  // namespace cornerturn::gpu
