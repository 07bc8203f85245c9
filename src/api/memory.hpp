#pragma once

#include "cornerturn/processor.hpp"
#include "plan/prepared.hpp"

namespace cornerturn {

/// Throws `error` where the GPU is asked for and none can be used.
void refuse_missing_gpu(processor asked);

/// Where the memory of a call lies: a GPU's number, or kHost. Throws `error` where the two sides lie apart, and where
/// they lie on a GPU but the CPU is asked for.
int place_of(processor asked, void const* source, void const* destination);

/// Throws `error` where a plan may not run between these: overlap, null pointers, less alignment than planned, other memory.
void refuse_memory(prepared_plan const& plan, void const* source, void const* destination);

}  // namespace cornerturn
