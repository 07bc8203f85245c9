#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cornerturn/explain.hpp"
#include "explain/instructions.hpp"
#include "machine/gpu_model.hpp"

namespace cornerturn {

/// The properties of a launch that a prediction needs in addition to the instructions' counts.
struct launch_resources {
  int threads = 0;           ///< per block
  int shared_bytes = 0;      ///< bytes of shared memory that a block accesses
  int loaded_registers = 0;  ///< 4-byte registers that a thread loads before its first store
  std::int64_t blocks = 0;
  std::int64_t partial_sectors = 0;  ///< sectors that a block writes in part, summed over all blocks
  bool sectors_merge = true;         ///< true if the next block completes these sectors: blocks follow the destination's rows
};
launch_resources shape_of(std::vector<recorded_block> const& blocks, int threads, bool sectors_merge);

/// The expected speed of a kernel, and the resource that limits it.
struct prediction {
  double ratio = 0;   ///< speed as a ratio to a copy of the same bytes
  std::string limit;  ///< the resource that takes longest: "DRAM", "L2 sectors", …
};

/// Predicts a kernel's speed on a GPU from its counts. The kernel's time is the p-norm of the times that the resources need, plus
/// the latency of one block's dependent accesses. docs/explain.md says where the constants come from.
prediction predict(std::vector<memory_instruction> const& instructions, launch_resources const& shape, gpu_model const& gpu);

}  // namespace cornerturn
