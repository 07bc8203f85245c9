#pragma once

#include "kernel/family_plan.hpp"
#include "kernel/small/job.hpp"

namespace cornerturn {

/// The small kernel for one problem. It transposes batches of matrices in few tiles, with vectors on both sides, with words in
/// the destination, or by elements. The plan is plain data, and valid for any memory with the planned alignment.
struct small_plan {
  static constexpr std::string_view family = "small";
  static constexpr int version = 2;
  static std::vector<small_plan> candidates(problem const& refitted, alignment const& aligned, gpu_model const& gpu);
  static plan_decisions<small_plan> decisions();

  small_job job;
  int form = 0;  ///< index among the compiled forms
  int element_size = 1;
  int blocks = 0;  ///< blocks of the launch
  std::int64_t source_offset = 0, destination_offset = 0;

  small_form const& shape() const { return small_forms_of(element_size)[std::size_t(form)]; }

  auto parameters() const { return std::tuple(element_size, form, job.tiles.z); }
};

std::string_view idea_of(small_plan const& plan);
std::string describe(small_plan const& plan);

/// The work of one launch, and a GPU's rates for it. `expected_seconds` has the time.
launch_work work_of(small_plan const& plan, gpu_model const& gpu);
kernel_rates rates_of(small_plan const& plan, gpu_model const& gpu);

/// Groups the blocks by their accesses. `at` has the addresses of the arrays. Throws `error` for a launch of more than 2^26
/// blocks, because every block is computed.
std::vector<block_class> classes_of(small_plan const& plan, array_addresses const& at);

}  // namespace cornerturn
