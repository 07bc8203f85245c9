#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "kernel/direct/job.hpp"
#include "kernel/family_plan.hpp"

namespace cornerturn {

/// The elements that a thread of a compiled direct kernel has at once.
inline constexpr int kDirectDepths[] = {2, 4};
/// The only depth with 64-bit offsets, which need many registers.
inline constexpr int kWideDirectDepth = 4;

/// The direct kernel for one problem. It copies vectors through registers if the fastest modes stay together on both sides. The
/// plan is plain data, and valid for any memory with the planned alignment.
struct direct_plan {
  static constexpr std::string_view family = "direct";
  static constexpr int version = 1;
  static std::vector<direct_plan> candidates(problem const& refitted, alignment const& aligned, gpu_model const& gpu);
  static plan_decisions<direct_plan> decisions();

  direct_job job;
  int depth = 2;         ///< elements that a thread has at once
  bool wide = false;     ///< offsets in elements need 64 bits
  int short_digits = 0;  ///< digits of a `short_direct_job` that holds the job; 0 if none does
  int element_size = 1;
  int blocks = 0;  ///< blocks of the launch
  std::int64_t source_offset = 0, destination_offset = 0;

  int tile() const { return kDirectThreads * depth; }  ///< elements of a tile

  auto parameters() const { return std::tuple(element_size, depth, wide, short_digits); }
};

/// True if this number of elements can be a part: whole tiles, or so many tiles that few threads are idle in the last one.
constexpr bool is_part(std::int64_t elements, int tile) {
  constexpr std::int64_t kManyTiles = 32;
  return elements % tile == 0 || elements >= kManyTiles * tile;
}

/// Plans a canonical problem whose elements are as large as the alignment allows. With `may_be_short` the plan may have
/// `short_digits`. Returns nothing for more than `direct_job::kMostDigits` modes, more than 2^31 - 1 blocks, a mode of almost
/// 2^31 indices or more, and offsets of 64 bits with a `depth` other than kWideDirectDepth.
std::optional<direct_plan> plan_direct(problem const& refitted, int depth, bool may_be_short = true);

std::string_view idea_of(direct_plan const& plan);
std::string describe(direct_plan const& plan);

/// The work of one launch, and a GPU's rates for it. `expected_seconds` has the time.
launch_work work_of(direct_plan const& plan, gpu_model const& gpu);
kernel_rates rates_of(direct_plan const& plan, gpu_model const& gpu);

/// Groups the blocks by their accesses. `at` has the addresses of the arrays. Throws `error` for a launch of more than 2^26
/// blocks, because every block is computed.
std::vector<block_class> classes_of(direct_plan const& plan, array_addresses const& at);

/// Elements of a part at equal distances on both sides.
struct direct_run {
  int part, first, count;
};
/// The bytes after which the accesses of a program are the same again, if they are more than a cache line.
struct direct_periods {
  std::int64_t source = 1, destination = 1;
};
/// As above, for a program whose accesses also depend on what `kind_of_run` appends for each run of a block, if it is given.
using direct_run_kind = std::function<void(std::vector<std::int64_t>& kind, direct_run const& run)>;
std::vector<block_class> classes_of(direct_plan const& plan, direct_periods const& periods, direct_run_kind const& kind_of_run);

}  // namespace cornerturn
