#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "block/recording.hpp"
#include "kernel/alignment.hpp"
#include "kernel/estimate.hpp"
#include "kernel/gpu_model.hpp"
#include "kernel/interleave/job.hpp"
#include "launch/block_class.hpp"
#include "problem/problem.hpp"

namespace cornerturn {

/// The interleave kernel for one problem. Plain data: it serves any memory with the alignment that it was planned for.
struct interleave_plan {
  interleave_job job;
  int fields = 0;          ///< the number of rows, 2 to 8
  bool to_aos = false;     ///< true if the destination is interleaved (an array of structures), false if the source is
  bool unaligned = false;  ///< rows may have any alignment and length
  int element_size = 1;
  std::int64_t source_offset = 0, destination_offset = 0;
};

/// Plans a canonical problem that interleaves or deinterleaves 2 to 8 rows, any number of times. Empty for any other problem.
/// Elements have 1 to 8 bytes if rows are whole aligned 16-byte units, otherwise 1 or 2 bytes.
std::optional<interleave_plan> plan_interleave(problem const& canonical, alignment const& aligned);

std::string_view name_of(interleave_plan const& plan);
std::string_view idea_of(interleave_plan const& plan);
std::string describe(interleave_plan const& plan);

/// The seconds that one launch is expected to take on a GPU.
double expected_seconds(interleave_plan const& plan, gpu_model const& gpu);

/// Groups the blocks by everything that their accesses depend on: the tile's offset in a cache line on either side, its extents,
/// and whether one of its 16-byte units lies partly outside the source. Every block is computed, so a launch of more than 2^26
/// blocks throws `error`.
std::vector<block_class> classes_of(interleave_plan const& plan, array_addresses const& at);

namespace gpu {
/// Enqueues the plan on a stream (a cudaStream_t). Throws `error` where the launch fails.
void run(interleave_plan const& plan, void const* source, void* destination, void* stream);
}  // namespace gpu

namespace host {
/// Runs the plan's tile program on host memory, block after block, each block's threads as fibers: slow, exact, and the same
/// source that the GPU runs. Given a recording, every access of every block is appended to it.
void run(interleave_plan const& plan, void const* source, void* destination, recording* record = nullptr);

/// Records one block of each kind that the plan's launch has, for addresses that need not be memory, and calls visit(recording,
/// blocks of this kind). Returns the threads of a block.
int record(interleave_plan const& plan, std::uintptr_t source, std::uintptr_t destination,
           std::function<void(recording const&, std::int64_t)> const& visit);
}  // namespace host

/// Interleaves 2 to 8 rows into an array of structures, or deinterleaves them.
struct interleave_family {
  using plan = interleave_plan;
  static constexpr std::string_view name = "interleave";
  static std::vector<estimate<interleave_plan>> candidates(problem const& refitted, alignment const& aligned,
                                                           gpu_model const& gpu);
};

}  // namespace cornerturn
