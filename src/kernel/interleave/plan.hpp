#pragma once

#include "kernel/family_plan.hpp"
#include "kernel/interleave/job.hpp"

namespace cornerturn {

/// The interleave kernel for one problem. It interleaves 2 to 8 rows into an array of structures, or deinterleaves them. The plan
/// is plain data, and valid for any memory with the planned alignment.
struct interleave_plan {
  static constexpr std::string_view family = "interleave";
  static constexpr int version = 1;
  static std::vector<interleave_plan> candidates(problem const& refitted, alignment const& aligned, gpu_model const& gpu);
  static plan_decisions<interleave_plan> decisions();

  interleave_job job;
  int fields = 0;          ///< the number of rows, 2 to 8
  bool to_aos = false;     ///< true if the destination is interleaved (an array of structures), false if the source is
  bool unaligned = false;  ///< rows may have any alignment and length
  int element_size = 1;
  std::int64_t source_offset = 0, destination_offset = 0;

  auto parameters() const { return std::tuple(element_size, fields, to_aos, unaligned); }
};

/// Returns a plan if the canonical problem interleaves or deinterleaves 2 to 8 rows, any number of times; otherwise nothing.
/// Elements have 1 to 8 bytes if rows are whole aligned 16-byte units, otherwise 1 or 2 bytes.
std::optional<interleave_plan> plan_interleave(problem const& canonical, alignment const& aligned);

std::string_view idea_of(interleave_plan const& plan);
std::string describe(interleave_plan const& plan);

/// The work of one launch, and a GPU's rates for it. `expected_seconds` has the time.
launch_work work_of(interleave_plan const& plan, gpu_model const& gpu);
kernel_rates rates_of(interleave_plan const& plan, gpu_model const& gpu);

/// Groups the blocks by their accesses. `at` has the addresses of the arrays. Throws `error` for a launch of more than 2^26
/// blocks, because every block is computed.
std::vector<block_class> classes_of(interleave_plan const& plan, array_addresses const& at);

}  // namespace cornerturn
