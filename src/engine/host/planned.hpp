#pragma once

#include "block/recording.hpp"
#include "plan/choose.hpp"

namespace cornerturn::host {

/// Runs a plan on host memory, as `run` does a rung's.
void run(gather_plan const& plan, void const* source, void* destination, recording* record = nullptr);
void run(interleave_plan const& plan, void const* source, void* destination, recording* record = nullptr);
void run(small_plan const& plan, void const* source, void* destination, recording* record = nullptr);
void run(unaligned_plan const& plan, void const* source, void* destination, recording* record = nullptr);

/// Runs whichever it is.
void run(candidate const& chosen, void const* source, void* destination);

}  // namespace cornerturn::host
