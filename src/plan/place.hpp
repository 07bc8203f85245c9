#pragma once

#include "cornerturn/processor.hpp"

namespace cornerturn {

/// The place of a problem's memory: a GPU's number, or this.
inline constexpr int kHost = -1;

/// What CUDA says of the memory that a pointer leads to. Memory that is not registered is the host's, or it was allocated by a
/// stream that was being captured.
struct pointer_attributes {
  enum class memory { unregistered, host, device, managed };
  memory type = memory::unregistered;
  int device = kHost;  ///< the GPU whose memory it is; for managed memory, the current GPU
};

/// The memory of a one-shot call.
struct call_memory {
  pointer_attributes source, destination;
  bool capturing = false;  ///< the call's stream is being captured
};

/// Where a one-shot call between such memory runs. Throws `error` where no place reaches both sides, and where the CPU would have
/// to touch memory while the call's stream is being captured, unless the CPU is asked for.
int place_of(processor asked, call_memory const& memory);

/// Throws `error` where a plan for this place does not reach both sides.
void refuse_unreachable(int place, call_memory const& memory);

/// True where the CPU would touch memory that a GPU may be using.
bool is_shared_with_gpu(int place, call_memory const& memory);

}  // namespace cornerturn
