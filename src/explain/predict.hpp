#pragma once

#include <string>
#include <vector>

#include "cornerturn/explain.hpp"
#include "explain/occupancy.hpp"
#include "machine/gpu_model.hpp"

namespace cornerturn {

/// The expected speed of a kernel, and the resource that limits it.
struct prediction {
  double ratio = 0;   ///< speed as a ratio to a copy of the same bytes
  std::string limit;  ///< the resource that takes longest: "DRAM", "L2 sectors", …
};

/// Predicts a kernel's speed on a GPU from its counts. The kernel's time is the p-norm of the times that the resources need, plus
/// the latency of one block's dependent accesses. docs/explain.md says where the constants come from.
prediction predict(std::vector<memory_instruction> const& instructions, launch_resources const& shape, gpu_model const& gpu);

}  // namespace cornerturn
