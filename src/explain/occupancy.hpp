#pragma once

#include <cstdint>
#include <vector>

#include "explain/instructions.hpp"

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

}  // namespace cornerturn
