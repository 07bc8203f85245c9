#include <algorithm>

#include "kernel/swap/plan.hpp"

namespace cornerturn {

double share_of_units(std::int64_t units, swap_rates const& shares) {
  return units % 2 ? shares.odd_units : units == 2 || units % 8 == 0 ? shares.full_units : shares.even_units;
}

namespace {

/// The share of a copy's speed with which runs of elements of 1, 2, 4, 8 or 16 bytes are swapped one by one. Runs that share
/// sectors with other runs are slower. Small elements are slower, because a thread moves the same number of elements of any size.
double share_of_runs(swap_plan const& plan, swap_rates const& shares) {
  if (plan.element_size >= 16) return share_of_units(plan.job.run, shares);
  return plan.element_size >= 8   ? shares.double_run
         : plan.element_size >= 4 ? shares.word_run
                                  : shares.small_run + shares.small_run_per_byte * plan.element_size;
}

}  // namespace

/// Each byte is read once and written once.
launch_work work_of(swap_plan const& plan, gpu_model const& gpu) {
  auto const& shares = gpu.swap;
  double const share = plan.form == swap_form::vectors    ? shares.vectors
                       : plan.form == swap_form::elements ? shares.elements
                       : plan.form == swap_form::rows
                           ? std::min(shares.most_row, shares.row + shares.row_per_byte * plan.element_size)
                           : share_of_runs(plan, shares);
  return {.bytes = 2 * plan.bytes(), .share = share, .tiles = double(plan.blocks)};
}

kernel_rates rates_of(swap_plan const&, gpu_model const& gpu) { return gpu.copies; }

}  // namespace cornerturn
