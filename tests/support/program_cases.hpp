#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "inplace/plan.hpp"
#include "plan/choose.hpp"
#include "problem/problem.hpp"

namespace cornerturn::test {

/// One way to move a problem, between arrays that begin some bytes past a 256-byte boundary. The last step is the kernel.
struct program_case {
  problem moved;
  candidate way;
  std::size_t source_shift = 0, destination_shift = 0;

  /// True if the way moves the elements within the destination, which must hold the source before.
  bool is_in_place() const { return way.steps.back().source.role != buffer_role::source; }
};

/// The least and the most that a count of `work_of` is of what the recorder counts.
struct count_bounds {
  double least, most;
};
inline constexpr count_bounds kExact{0.99, 1.01}, kInstructions{5, 60};  // warp instructions for each request

/// What tests know of a family of kernels: its cases, a small permutation, and the bounds of its counts.
struct family_facts {
  std::string_view name;
  std::vector<program_case> (*cases)() = nullptr;  ///< those of `program_cases`; null for the rungs, which have cases each
  std::vector<std::int64_t> shape, axes;           ///< arrays of at most 64 KiB, which a launch of the family moves in few blocks
  elements each = 4;
  count_bounds bytes{}, sectors{}, wavefronts{}, instructions{};  ///< 0 if the family does not count them

  problem small() const;
};
std::vector<family_facts> const& kernel_facts();

/// The families of kernels: each rung, and each kind of program that a plan runs.
std::vector<std::string> program_families();

/// Cases that together run every compiled kernel of a family, with interior and edge tiles. They are small enough for
/// compute-sanitizer.
std::vector<program_case> program_cases(std::string const& family);

}  // namespace cornerturn::test
