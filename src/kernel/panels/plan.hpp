#pragma once

#include "kernel/family_plan.hpp"
#include "kernel/panels/job.hpp"
#include "problem/exchange.hpp"

namespace cornerturn {

/// Panels whose slots a GPU transposes in place, in one launch. A plan is plain data and valid for any memory with the planned
/// alignment. Its step reads and writes the destination. If panels are shifted, or slots exchanged, the source of the step
/// is the flags.
struct panels_plan {
  static constexpr std::string_view family = "panels";
  static constexpr int version = 1;
  static std::vector<panels_plan> candidates(problem const& refitted, alignment const& aligned, gpu_model const& gpu);
  static plan_decisions<panels_plan> decisions();

  panels_job job;
  slot_exchange exchange = slot_exchange::none;
  bool is_aligned = false;  ///< true if rows and slots consist of 16-byte vectors
  int element_size = 1;
  int blocks = 0;           ///< blocks of the launch
  int shared_bytes = 0;     ///< bytes of shared memory per block
  std::int64_t offset = 0;  ///< elements from the caller's pointer to the first array
  std::int64_t bytes = 0;   ///< bytes that move in all panels

  /// Elements of a row of an exchanged slot: of the source if slots are exchanged before the transpose, else of the destination.
  int exchanged_row() const { return exchange == slot_exchange::before ? job.slot_width : job.slot_height; }

  auto parameters() const {
    return std::tuple(element_size, int(exchange), is_aligned, int(job.share), job.block_share, job.cluster.divisor, job.slots,
                      job.rows, job.columns, job.run.divisor, job.is_descending, blocks, offset);
  }
};

/// Plans panels whose elements are as large as the alignment allows. `aligned` is the alignment of the array in bytes. Returns
/// nothing if a panel does not fit into the shared memory of a cluster. Throws `error` for more blocks than a launch can have.
std::optional<panels_plan> plan_panels(placed_exchange const& all, int aligned, gpu_model const& gpu,
                                       slot_exchange exchange = slot_exchange::none);

/// Plans panels that also exchange their slots in the same launch. The number of panels is the number of slots. Returns nothing
/// if panels do not fit, are shifted, have runs, or do not consist of 16-byte vectors of elements of 2, 4 or 8 bytes.
std::optional<panels_plan> plan_panels_exchange(placed_exchange const& all, slot_exchange exchange, int aligned,
                                                gpu_model const& gpu);

std::string_view idea_of(panels_plan const& plan);
std::string describe(panels_plan const& plan);

/// The share of a copy's speed that panels are expected to reach in clusters of `cluster` blocks. `has_pair` is true if an SM has
/// room for two blocks.
double panels_share(int element_size, bool is_aligned, int cluster, bool has_pair, panels_rates const& shares);

/// The work of one launch, and a GPU's rates for it. `expected_seconds` has the time.
launch_work work_of(panels_plan const& plan, gpu_model const& gpu);
kernel_rates rates_of(panels_plan const& plan, gpu_model const& gpu);

/// Groups the blocks by their accesses. `at` holds the address of the array as the destination. Throws `error` for a launch of
/// more than 2^26 blocks, because every block is computed.
std::vector<block_class> classes_of(panels_plan const& plan, array_addresses const& at);

}  // namespace cornerturn
