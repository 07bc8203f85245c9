#pragma once

#include "machine/gpu_model.hpp"

namespace cornerturn {

/// The work of one launch, as its plan or a recording counts it.
struct launch_work {
  double bytes = 0;                ///< bytes that the kernel reads and writes
  double share = 1;                ///< share of the rate of bytes that accesses like these reach
  double detour = 1;               ///< factor of the time of bytes
  double sectors = 0;              ///< 32-byte sectors that the L2 cache moves
  double split_rows = 0;           ///< destination rows whose first and last sectors are written in part
  double wavefronts = 0;           ///< shared-memory wavefronts
  double instructions = 0;         ///< warp instructions
  double waited_instructions = 0;  ///< those of one warp that no other warp hides, because all begin with them
  double tiles = 0;                ///< tiles of the launch
  double resident = 1;             ///< tiles that one SM holds at once
};

/// The share of a copy's speed that runs of `bytes` bytes reach. Long runs reach `most`, and runs of `half` bytes reach half of
/// `most`.
constexpr double share_of_copy(double most, double bytes, double half) { return most * bytes / (bytes + half); }

/// What each block of a launch needs of an SM.
struct block_needs {
  double threads = 1, shared_bytes = 0;
  double registers = 0;  ///< of each thread
};

/// The blocks that one SM holds at once; at least one.
double resident_blocks(block_needs const& each, gpu_attributes const& limits);

/// The number of tiles that `blocks` blocks count as, at least one per SM: fewer blocks take as long as one on each SM.
double tiles_of(double blocks, gpu_model const& gpu);

/// The seconds of a launch if one resource alone limited it.
struct resource_seconds {
  double dram, l2, wavefronts, instructions, latency;
};
resource_seconds resources_of(launch_work const& each, kernel_rates const& rate, gpu_model const& gpu);

/// The seconds that a launch takes: the p-norm of the times of its resources, longer by SMs that hold one block or idle in the
/// last wave, and its start.
double seconds_of(launch_work const& each, kernel_rates const& rate, gpu_model const& gpu);

}  // namespace cornerturn
