#pragma once

#include <string_view>

#include "cornerturn/processor.hpp"
#include "plan/prepared.hpp"

namespace cornerturn {

/// Throws `error` where no GPU can be used, for an argument that is gpu, naming its values that need none.
void refuse_missing_gpu(std::string_view argument, std::string_view others);

/// Where the memory of a call lies: a GPU's number, or kHost. Throws `error` where the two sides lie apart, and where
/// they lie on a GPU but the CPU is asked for.
int place_of(processor asked, void const* source, void const* destination);

/// Throws `error` where a plan may not run between these: overlap, null pointers, less alignment than planned, other memory.
void refuse_memory(prepared_plan const& plan, void const* source, void const* destination);

}  // namespace cornerturn
