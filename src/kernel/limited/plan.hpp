#pragma once

#include "kernel/direct/plan.hpp"
#include "kernel/family_plan.hpp"
#include "kernel/limited/job.hpp"
#include "problem/limited.hpp"

namespace cornerturn {

/// A launch that pads, crops and swizzles. It is plain data, and valid for any memory with the planned alignment.
struct limited_plan {
  static constexpr std::string_view family = "limited";
  static constexpr int version = 1;
  static constexpr int kDepth = 4;  ///< elements that a thread has at once
  static plan_decisions<limited_plan> decisions();

  direct_plan copy;  ///< as if all indices existed
  limited_axes axes;
  std::array<std::byte, kLargestElement> pad{};
  offset_swizzle source_swizzle, destination_swizzle;

  auto parameters() const { return std::tuple(copy.element_size, kDepth); }
};

/// Plans a canonical problem. Returns nothing if offsets or indices need more than 31 bits, for more modes than a launch has
/// digits, and for a pad whose bytes differ between the elements that the alignment allows.
std::optional<limited_plan> plan_limited(limited_problem const& canonical, alignment const& aligned);

std::string_view idea_of(limited_plan const& plan);
std::string describe(limited_plan const& plan);

/// The work of one launch, and a GPU's rates for it. `expected_seconds` has the time.
launch_work work_of(limited_plan const& plan, gpu_model const& gpu);
kernel_rates rates_of(limited_plan const& plan, gpu_model const& gpu);

/// Groups the blocks by their accesses. `at` has the addresses of the arrays. Throws `error` for a launch of more than 2^26
/// blocks, because every block is computed.
std::vector<block_class> classes_of(limited_plan const& plan, array_addresses const& at);

}  // namespace cornerturn
