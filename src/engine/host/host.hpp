#pragma once

#include "block/recording.hpp"
#include "explain/instructions.hpp"
#include "plan/plan.hpp"

namespace cornerturn::host {

/// Runs a plan's tile program on host memory, block after block, each block's threads as fibers: slow, exact, and the same source
/// that the GPU runs. Given a recording, every access of every block is appended to it.
void run(rung_plan const& plan, void const* source, void* destination, recording* record = nullptr);

/// What a launch asks of memory.
struct recorded_launch {
  bool down = false;                   ///< consecutive blocks walk the destination's rows
  std::vector<recorded_block> blocks;  ///< one of each kind
  std::vector<tile_map> tiles;         ///< in shared memory, by the layouts that the program states; threads are not named
};

/// Records one block of each kind that a plan's launch has, for matrices at two addresses that need not be memory. The plan has
/// one tile a block.
recorded_launch record(rung_plan const& plan, std::uintptr_t source, std::uintptr_t destination);

}  // namespace cornerturn::host
