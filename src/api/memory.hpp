#pragma once

#include <string_view>

#include "cornerturn/permute.hpp"
#include "plan/place.hpp"
#include "plan/prepared.hpp"

namespace cornerturn {

/// Throws `error` if the GPU is asked for and no GPU can be used.
void refuse_missing_gpu(processor_kind asked);

/// Throws `error` unless an address is a multiple of `bytes`. `why` ends the sentence.
void refuse_misaligned(std::string_view name, void const* pointer, std::int64_t bytes, std::string_view why);

/// The place where a one-shot call runs.
struct placement {
  int place;             ///< a GPU's number, or kHost
  bool waits = false;    ///< true if the CPU waits for the stream first, because a GPU may be using the memory
  call_memory reported;  ///< unqueried if the options name a device, because CUDA is not queried then
};

/// The options that calls of every kind have.
template <class Options>
copy_options places_in(Options const& options) {
  return {options.processor, options.stream, options.device, options.threads};
}

/// The placement of a call: the place that `place_of` finds for its memory, or the device that the options name. Throws `error`
/// as `place_of` does, and if the options name both a device and the CPU.
placement placement_of(void const* source, void const* destination, copy_options const& options);
/// The placement of a call that works in place.
placement placement_of(void const* data, copy_options const& options);

/// Throws `error` if a plan must not run between these pointers on this stream: they overlap, are null, are less aligned than
/// planned, or are addresses that the plan cannot access.
void refuse_memory(prepared_plan const& plan, void const* source, void const* destination, void* stream);
/// The same for a plan that works in place.
void refuse_memory(prepared_plan const& plan, void const* data, void* stream);

/// Throws `error` if the CPU cannot read the first byte of an array of a call on this stream. `pointer` may be null.
void refuse_unreadable(std::string_view name, void const* pointer, void* stream);

/// Throws `error` if the scale or the bias of a plan's operation overlaps the written bytes, or if the plan's processor cannot
/// read it. During a capture, CUDA does not know all memory of a GPU, so any unregistered memory passes.
void refuse_factors(prepared_plan const& plan, byte_range const& written, void const* destination, void* stream);

}  // namespace cornerturn
