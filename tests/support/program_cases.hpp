#pragma once

#include <cstddef>
#include <string>
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

/// The families of kernels: each rung, and each kind of program that a plan runs.
std::vector<std::string> program_families();

/// Cases that together run every compiled kernel of a family, with interior and edge tiles. They are small enough for
/// compute-sanitizer.
std::vector<program_case> program_cases(std::string const& family);

}  // namespace cornerturn::test
