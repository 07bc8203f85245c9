#pragma once

#include <cstdint>
#include <functional>

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

/// Records one block of each kind that the launch of a GPU's plan has, as `record` does a rung's, and calls each(recording,
/// blocks of this kind). Returns the threads of a block.
int record(candidate const& chosen, std::uintptr_t source, std::uintptr_t destination,
           std::function<void(recording const&, std::int64_t)> const& each);

}  // namespace cornerturn::host
