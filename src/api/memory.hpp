#pragma once

#include "cornerturn/processor.hpp"
#include "plan/prepared.hpp"

namespace cornerturn {

/// Where the memory of a call lies: the current GPU's number, or kHost. Throws `error` where the two sides lie apart, and where
/// the processor asked for does not serve this memory.
int place_of(processor asked, void const* source, void const* destination);

/// Throws `error` where a plan may not run between these: overlap, null pointers, less alignment than planned, other memory.
void refuse_memory(prepared_plan const& plan, void const* source, void const* destination);

}  // namespace cornerturn
