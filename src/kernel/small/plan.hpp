#pragma once

#include "kernel/family_plan.hpp"
#include "kernel/rung/plan.hpp"
#include "kernel/small/job.hpp"

namespace cornerturn {

/// The small kernel for one problem. It transposes batches of matrices in few tiles, with vectors on both sides or by elements.
/// The plan is plain data, and valid for any memory with the planned alignment.
struct small_plan {
  static constexpr std::string_view family = "small";
  static constexpr int version = 1;
  static std::vector<estimate<small_plan>> candidates(problem const& refitted, alignment const& aligned, gpu_model const& gpu);
  static plan_choices<small_plan> choices();

  small_job job;
  int tile = 0;  ///< index among the compiled tiles
  int element_size = 1;
  int batch = 1;
  int blocks = 0;  ///< blocks of the launch
  std::int64_t source_offset = 0, destination_offset = 0;

  tile_shape shape() const { return small_tile_of(element_size, tile); }
  /// Elements of an access to global memory: 1, or those of 16 bytes.
  int vector() const { return small_vector_of(element_size, tile); }

  auto parameters() const { return std::tuple(element_size, tile, batch); }
};

/// Plans the problem of a `vec-both` plan with the first tile that needs few enough blocks for the GPU. Returns nothing if there
/// is no such tile. Vectors are used if `vec-both` has them on both sides. Of matrices without them, narrow ones and large
/// batches that leave most of their tiles empty are left to other kernels.
std::optional<small_plan> plan_small(rung_plan const& vec_both, gpu_model const& gpu);

std::string_view idea_of(small_plan const& plan);
std::string describe(small_plan const& plan);

/// The work of one launch, and a GPU's rates for it. `expected_seconds` has the time.
launch_work work_of(small_plan const& plan, gpu_model const& gpu);
kernel_rates rates_of(small_plan const& plan, gpu_model const& gpu);

/// Groups the blocks by their accesses. `at` has the addresses of the arrays. Throws `error` for a launch of more than 2^26
/// blocks, because every block is computed.
std::vector<block_class> classes_of(small_plan const& plan, array_addresses const& at);

}  // namespace cornerturn
