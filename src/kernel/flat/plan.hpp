#pragma once

#include "kernel/family_plan.hpp"
#include "kernel/flat/job.hpp"

namespace cornerturn {

/// The flat kernel for one problem. It permutes axes of any extents, gaps and alignment in few tiles, element by element. The
/// plan is plain data, and valid for any memory with the planned alignment.
struct flat_plan {
  static constexpr std::string_view family = "flat";
  static constexpr int version = 1;
  static std::vector<flat_plan> candidates(problem const& refitted, alignment const& aligned, gpu_model const& gpu);
  static plan_decisions<flat_plan> decisions();

  any_flat_job job;
  int form = 0, tile = 0;  ///< indices among the compiled digits and tiles
  int element_size = 1;
  int blocks = 0;                           ///< blocks of the launch
  int source_run = 1, destination_run = 1;  ///< elements that follow each other in the columns of the source, and in the rows
  std::int64_t source_offset = 0, destination_offset = 0;

  tile_shape const& shape() const { return kFlatTiles[tile]; }

  auto parameters() const { return std::tuple(element_size, form, tile, job.rows); }
};

/// The plans of a canonical problem whose elements are as large as the alignment allows, one for each tile that suits it. Returns
/// none if the fastest mode is the same on both sides, for more digits than a kernel has, and for too many tiles.
std::vector<flat_plan> plan_flat(problem const& refitted, gpu_model const& gpu);

std::string_view idea_of(flat_plan const& plan);
std::string describe(flat_plan const& plan);

/// The work of one launch, and a GPU's rates for it. `expected_seconds` has the time.
launch_work work_of(flat_plan const& plan, gpu_model const& gpu);
kernel_rates rates_of(flat_plan const& plan, gpu_model const& gpu);

/// Groups the blocks by their accesses. `at` has the addresses of the arrays. Throws `error` for a launch of more than 2^26
/// blocks, because every block is computed.
std::vector<block_class> classes_of(flat_plan const& plan, array_addresses const& at);

}  // namespace cornerturn
