#pragma once

#include "block/recording.hpp"
#include "plan/unaligned.hpp"

namespace cornerturn::host {

/// Runs an unaligned plan on host memory, as `run` does a rung's.
void run(unaligned_plan const& plan, void const* source, void* destination, recording* record = nullptr);

}  // namespace cornerturn::host
