#pragma once

#include "kernel/family_plan.hpp"
#include "kernel/unaligned/job.hpp"

namespace cornerturn {

/// The unaligned kernel for one problem. It transposes matrices of 1- and 2-byte elements whose rows have any alignment. The plan
/// is plain data, and valid for any memory with the planned alignment.
struct unaligned_plan {
  static constexpr std::string_view family = "unaligned";
  static constexpr int version = 1;
  static std::vector<unaligned_plan> candidates(problem const& refitted, alignment const& aligned, gpu_model const& gpu);
  static plan_decisions<unaligned_plan> decisions();

  unaligned_job job;
  int tile = 0;  ///< index among the compiled tiles
  int element_size = 1;
  std::int64_t source_offset = 0, destination_offset = 0;

  tile_shape shape() const { return unaligned_tile_of(element_size, tile); }

  auto parameters() const { return std::tuple(element_size, tile); }
};

/// Plans a canonical problem, once with each compiled tile. Returns no plans if elements have more than 2 bytes, or if the same
/// mode is contiguous on both sides.
std::vector<unaligned_plan> plan_unaligned(problem const& canonical);

std::string_view idea_of(unaligned_plan const& plan);
std::string describe(unaligned_plan const& plan);

/// The work of one launch, and a GPU's rates for it. `expected_seconds` has the time.
launch_work work_of(unaligned_plan const& plan, gpu_model const& gpu);
kernel_rates rates_of(unaligned_plan const& plan, gpu_model const& gpu);

/// Groups the blocks by their accesses. `at` has the addresses of the arrays. Throws `error` for a launch of more than 2^26
/// blocks, because every block is computed.
std::vector<block_class> classes_of(unaligned_plan const& plan, array_addresses const& at);

}  // namespace cornerturn
