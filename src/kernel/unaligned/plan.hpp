#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "block/recording.hpp"
#include "kernel/alignment.hpp"
#include "kernel/estimate.hpp"
#include "kernel/gpu_model.hpp"
#include "kernel/unaligned/job.hpp"
#include "launch/block_class.hpp"
#include "problem/problem.hpp"

namespace cornerturn {

/// The unaligned kernel for one problem. Plain data: it serves any memory with the alignment that it was planned for.
struct unaligned_plan {
  unaligned_job job;
  int tile = 0;  ///< index among the compiled tiles
  int element_size = 1;
  std::int64_t source_offset = 0, destination_offset = 0;

  tile_shape shape() const { return unaligned_tile_of(element_size, tile); }
};

/// Plans a canonical problem, once with each compiled tile. Empty if its elements have more than 2 bytes, or if the same mode is
/// contiguous on both sides.
std::vector<unaligned_plan> plan_unaligned(problem const& canonical);

std::string_view name_of(unaligned_plan const& plan);
std::string_view idea_of(unaligned_plan const& plan);
std::string describe(unaligned_plan const& plan);

/// The seconds that one launch is expected to take on a GPU.
double expected_seconds(unaligned_plan const& plan, gpu_model const& gpu);

/// Groups the blocks by everything that their accesses depend on: the tile's offset in a cache line on either side, its extents,
/// and whether one of its 16-byte units lies partly outside the source. Every block is computed, so a launch of more than 2^26
/// blocks throws `error`.
std::vector<block_class> classes_of(unaligned_plan const& plan, array_addresses const& at);

namespace gpu {
/// Enqueues the plan on a stream (a cudaStream_t). Throws `error` where the launch fails.
void run(unaligned_plan const& plan, void const* source, void* destination, void* stream);
}  // namespace gpu

namespace host {
/// Runs the plan's tile program on host memory, block after block, each block's threads as fibers: slow, exact, and the same
/// source that the GPU runs. Given a recording, every access of every block is appended to it.
void run(unaligned_plan const& plan, void const* source, void* destination, recording* record = nullptr);

/// Records one block of each kind that the plan's launch has, for addresses that need not be memory, and calls visit(recording,
/// blocks of this kind). Returns the threads of a block.
int record(unaligned_plan const& plan, std::uintptr_t source, std::uintptr_t destination,
           std::function<void(recording const&, std::int64_t)> const& visit);
}  // namespace host

/// Transposes matrices of 1- and 2-byte elements whose rows have any alignment.
struct unaligned_family {
  using plan = unaligned_plan;
  static constexpr std::string_view name = "unaligned";
  static std::vector<estimate<unaligned_plan>> candidates(problem const& refitted, alignment const& aligned,
                                                          gpu_model const& gpu);
};

}  // namespace cornerturn
