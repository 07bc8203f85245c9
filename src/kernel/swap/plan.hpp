#pragma once

#include "kernel/family_plan.hpp"
#include "kernel/swap/job.hpp"
#include "problem/exchange.hpp"

namespace cornerturn {

/// How a block swaps two tiles: transposed through shared memory by 16-byte vectors or by single elements, run by run, or by rows
/// of runs through shared memory.
enum class swap_form { vectors, elements, runs, rows };

/// A swap of squares in place for one problem. It is plain data, and valid for any memory with the planned alignment.
struct swap_plan {
  static constexpr std::string_view family = "swap";
  static constexpr int version = 1;
  static std::vector<swap_plan> candidates(problem const& refitted, alignment const& aligned, gpu_model const& gpu);
  static plan_decisions<swap_plan> decisions();

  swap_job job;
  swap_form form = swap_form::runs;
  int element_size = 1;
  int blocks = 0;           ///< blocks of the launch
  int shared_bytes = 0;     ///< bytes of shared memory per block of the form `rows`
  std::int64_t offset = 0;  ///< elements from the caller's pointer to the first square

  double bytes() const;  ///< bytes of all squares

  auto parameters() const {
    return std::tuple(int(form), element_size, job.squares, job.extent, job.run, job.tile_runs.divisor, job.tile_part.divisor,
                      job.tile_squares, offset);
  }
};

/// Plans an exchange of equal sides whose elements are as large as the alignment allows. Arrays have one panel. `aligned` is the
/// alignment of the array in bytes. Throws `error` for more blocks than a launch can have.
swap_plan plan_swap(placed_exchange const& all, int aligned);

std::string_view idea_of(swap_plan const& plan);
std::string describe(swap_plan const& plan);

/// The work of one launch, and a GPU's rates for it. `expected_seconds` has the time.
launch_work work_of(swap_plan const& plan, gpu_model const& gpu);
kernel_rates rates_of(swap_plan const& plan, gpu_model const& gpu);

/// The share of a copy's speed with which runs of `units` 16-byte units are swapped.
double share_of_units(std::int64_t units, swap_rates const& shares);

/// Groups the blocks by their accesses. `at` has the address of the array as the destination. Throws `error` for a launch of more
/// than 2^26 blocks, because every block is computed.
std::vector<block_class> classes_of(swap_plan const& plan, array_addresses const& at);

}  // namespace cornerturn
