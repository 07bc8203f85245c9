#pragma once

#include "block/recording.hpp"
#include "plan/interleave.hpp"

namespace cornerturn::host {

/// Runs an interleave plan on host memory, as `run` does a rung's.
void run(interleave_plan const& plan, void const* source, void* destination, recording* record = nullptr);

}  // namespace cornerturn::host
