#pragma once

#include "block/recording.hpp"
#include "plan/plan.hpp"

namespace cornerturn::host {

/// Runs a plan's tile program on host memory, block after block, each block's threads as fibers: slow, exact, and the same source
/// that the GPU runs. Given a recording, every access of every block is appended to it.
void run(plan const& plan, void const* source, void* destination, recording* record = nullptr);

}  // namespace cornerturn::host
