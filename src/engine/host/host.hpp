#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "block/recording.hpp"
#include "explain/instructions.hpp"
#include "plan/choose.hpp"

namespace cornerturn::host {

/// Runs a GPU's candidate on host memory.
void run(candidate const& chosen, void const* source, void* destination);

/// Records one block of each kind that the launch of a GPU's candidate has, and calls visit(recording, blocks of this kind).
/// Returns the threads of a block.
int record(candidate const& chosen, std::uintptr_t source, std::uintptr_t destination,
           std::function<void(recording const&, std::int64_t)> const& visit);

/// What a launch asks of memory.
struct recorded_launch {
  bool down = false;                   ///< consecutive blocks walk the destination's rows
  std::vector<recorded_block> blocks;  ///< one of each kind
  std::vector<tile_map> tiles;         ///< in shared memory, by the layouts that the program states; threads are not named
};

/// Records one block of each kind that a plan's launch has, for matrices at two addresses that need not be memory. The plan has
/// one tile a block.
recorded_launch record_launch(rung_plan const& plan, std::uintptr_t source, std::uintptr_t destination);

}  // namespace cornerturn::host
