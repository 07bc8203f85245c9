#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "block/recording.hpp"
#include "explain/instructions.hpp"
#include "plan/step.hpp"

namespace cornerturn::host {

/// Runs the steps of a GPU's plan in their order on host memory, in place of the GPU. All of the plan's buffers are host memory.
void run(std::span<step const> steps, plan_memory const& memory);

/// Records one block of each kind that the launch of a GPU kernel has, and calls visit(recording, blocks of this kind). Returns
/// the threads of a block. The buffers need not be memory.
int record(step const& kernel, plan_memory const& at, std::function<void(recording const&, std::int64_t)> const& visit);

/// The memory accesses of a launch, one block of each kind.
struct recorded_launch {
  std::vector<recorded_block> blocks;  ///< one of each kind
  std::vector<tile_map> tiles;         ///< tiles in shared memory, from the program's layouts, without threads
};

/// Records one block of each kind that a plan's launch has, for matrices at two addresses, where no memory need exist. The plan
/// has one tile per block.
recorded_launch record_launch(rung_plan const& plan, std::uintptr_t source, std::uintptr_t destination);

}  // namespace cornerturn::host
