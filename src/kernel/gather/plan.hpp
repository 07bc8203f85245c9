#pragma once

#include "kernel/family_plan.hpp"
#include "kernel/gather/form.hpp"
#include "kernel/gather/job.hpp"

namespace cornerturn {

/// The size in bytes that a tile should have: `run` of a source row, `vectors` of a destination row, `tile` of the whole tile.
/// `lanes` is the number of neighbouring threads that write one destination row; 0 leaves it to the planner.
struct tile_hint {
  std::int64_t run = 256, vectors = 256, tile = 16 << 10;
  int lanes = 0;
  bool operator==(tile_hint const&) const = default;
};

/// The wavefronts of requests of one warp: one that gathers an element of each vector, and one that loads their entries of the
/// offset table. Counting them takes most of the time of planning.
struct gather_requests {
  int elements = 0, entries = 0;
};

/// The gather kernel with a tile for one problem, which may be any canonical problem. It is plain data, and valid for any memory
/// with the planned alignment.
struct gather_plan {
  static constexpr std::string_view family = "gather";
  static constexpr int version = 1;
  static std::vector<gather_plan> candidates(problem const& refitted, alignment const& aligned, gpu_model const& gpu);
  static plan_decisions<gather_plan> decisions();
  /// A lower bound of the expected seconds of these candidates.
  static double least_seconds(problem const& refitted, gpu_model const& gpu);

  gather_job job;
  tile::gather_form form;
  int element_size = 1;
  std::int64_t source_offset = 0, destination_offset = 0;
  gather_requests wavefronts;

  auto parameters() const {
    return std::tuple(element_size, job.tiles, job.load.rows, job.load.cut.row_indices, job.load.uncut_span,
                      job.store.rows.divisor, job.store.elements, job.store.lanes.divisor, job.shared.bytes);
  }
};

/// Restates a canonical problem with elements as large as its modes and the alignment allow, up to 16 bytes. The result is
/// canonical, too.
problem refit_elements(problem const& canonical, alignment const& aligned);

/// Cuts a problem that `refit_elements` returned into tiles near a hint, which fit into the shared memory of a GPU's block.
gather_plan plan_gather(problem const& refitted, alignment const& aligned, tile_hint const& hint,
                        gpu_model const& gpu = h200_model());

/// Counts the wavefronts for the first warp and the middle element of each vector. Source rows begin where their offsets within a
/// unit say, which decides what banks they begin in.
gather_requests wavefronts_of(gather_plan const& plan);

std::string_view idea_of(gather_plan const& plan);
std::string describe(gather_plan const& plan);

/// The work of one launch, and a GPU's rates for it. `expected_seconds` has the time.
launch_work work_of(gather_plan const& plan, gpu_model const& gpu);
kernel_rates rates_of(gather_plan const& plan, gpu_model const& gpu);

/// Groups the blocks by their accesses. `at` has the addresses of the arrays. Throws `error` for a launch of more than 2^26
/// blocks, because every block is computed.
std::vector<block_class> classes_of(gather_plan const& plan, array_addresses const& at);

}  // namespace cornerturn
