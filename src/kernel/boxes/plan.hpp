#pragma once

#include "kernel/boxes/job.hpp"
#include "kernel/family_plan.hpp"
#include "problem/exchange.hpp"

namespace cornerturn {

inline constexpr std::int64_t kLeastBoxPart = 64;  ///< the fewest bytes of a run that a box has

/// Long runs that a GPU permutes in place, in one launch. A plan is plain data and valid for any memory with the planned
/// alignment. Its step reads and writes the destination.
struct boxes_plan {
  static constexpr std::string_view family = "boxes";
  static constexpr int version = 1;
  static std::vector<boxes_plan> candidates(problem const& refitted, alignment const& aligned, gpu_model const& gpu);
  static plan_decisions<boxes_plan> decisions();

  boxes_job job;
  int element_size = 1;
  int blocks = 0;           ///< blocks of the launch
  int shared_bytes = 0;     ///< bytes of shared memory per block
  std::int64_t offset = 0;  ///< elements from the caller's pointer to the first array
  std::int64_t bytes = 0;   ///< bytes of all arrays

  int part_bytes() const { return job.part * element_size; }  ///< bytes of a run that a box has

  auto parameters() const {
    return std::tuple(element_size, job.rows, job.between.divisor, job.columns.divisor, job.part, job.cluster.divisor, blocks,
                      offset);
  }
};

/// Plans an exchange whose elements are as large as the alignment allows. Both sides have their runs at the same places. Returns
/// nothing if arrays have several panels, if runs are shorter than 64 bytes, or if 64 bytes of every run do not fit into the
/// shared memory of a cluster.
std::optional<boxes_plan> plan_boxes(placed_exchange const& all, gpu_model const& gpu);

std::string_view idea_of(boxes_plan const& plan);
std::string describe(boxes_plan const& plan);

/// The work of one launch, and a GPU's rates for it. `expected_seconds` has the time.
launch_work work_of(boxes_plan const& plan, gpu_model const& gpu);
kernel_rates rates_of(boxes_plan const& plan, gpu_model const& gpu);

/// Groups the blocks by their accesses. `at` holds the address of the array as the destination. Throws `error` for a launch of
/// more than 2^26 blocks, because every block is computed.
std::vector<block_class> classes_of(boxes_plan const& plan, array_addresses const& at);

}  // namespace cornerturn
