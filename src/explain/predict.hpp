#pragma once

#include <string>
#include <vector>

#include "cornerturn/explain.hpp"
#include "explain/occupancy.hpp"

namespace cornerturn {

/// How fast a kernel should be, and what limits it.
struct prediction {
  double ratio = 0;  ///< to a copy of the same bytes
  std::string limit;
};

/// Predicts from the counts, for an H200: each resource's time, a little more than the longest of them, and what a block's chain
/// of waits adds. docs/explain.md says where the constants come from.
prediction predict(std::vector<memory_instruction> const& instructions, launch_shape const& shape);

}  // namespace cornerturn
