#pragma once

#include "kernel/tiled/plan.hpp"
#include "problem/limited.hpp"

namespace cornerturn {

/// A launch of `tiled` between arrays whose byte offsets are swizzled. It is plain data, and valid for any memory with the
/// planned alignment.
struct swizzled_plan : tiled_plan {
  static constexpr std::string_view family = "swizzled";
  static constexpr int version = 1;
  static plan_decisions<swizzled_plan> decisions();

  offset_swizzle source_swizzle, destination_swizzle;
};

/// The plans for a canonical problem that has swizzles and no limits; none where `tiled` has none.
std::vector<swizzled_plan> plan_swizzled(limited_problem const& canonical, alignment const& aligned, gpu_model const& gpu);

std::string_view idea_of(swizzled_plan const& plan);
std::string describe(swizzled_plan const& plan);

/// The work of one launch, and a GPU's rates for it. `expected_seconds` has the time.
launch_work work_of(swizzled_plan const& plan, gpu_model const& gpu);
kernel_rates rates_of(swizzled_plan const& plan, gpu_model const& gpu);

/// Groups the blocks by their accesses. `at` has the addresses of the arrays. Throws `error` for a launch of more than 2^26
/// blocks, because every block is computed.
std::vector<block_class> classes_of(swizzled_plan const& plan, array_addresses const& at);

}  // namespace cornerturn
