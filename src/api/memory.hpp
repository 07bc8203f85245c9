#pragma once

#include <string_view>

#include "cornerturn/permute.hpp"
#include "plan/place.hpp"
#include "plan/prepared.hpp"

namespace cornerturn {

/// Throws `error` where the GPU is asked for and none can be used.
void refuse_missing_gpu(processor_kind asked);

/// The place where a one-shot call runs.
struct placement {
  int place;             ///< a GPU's number, or kHost
  bool waits = false;    ///< true if the CPU waits for the stream first, because a GPU may be using the memory
  call_memory reported;  ///< unqueried if the options name a device, because CUDA is not queried then
};

/// What `place_of` says of the memory, or the device that the options name. Throws `error` as `place_of` does, and where the
/// options name a device but ask for the CPU.
placement placement_of(void const* source, void const* destination, copy_options const& options);
/// The same of a call that works in place.
placement placement_of(void const* data, copy_options const& options);

/// Throws `error` where a plan may not run between these on this stream: overlap, null pointers, less alignment than planned,
/// other memory.
void refuse_memory(prepared_plan const& plan, void const* source, void const* destination, void* stream);
/// The same of a plan that works in place.
void refuse_memory(prepared_plan const& plan, void const* data, void* stream);

/// Throws `error` for a null pointer where there is something to move.
void refuse_null(std::string_view name, void const* pointer);

}  // namespace cornerturn
