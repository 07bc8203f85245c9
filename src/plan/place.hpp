#pragma once

#include "cornerturn/processor.hpp"

namespace cornerturn {

/// A place is the number of the GPU whose memory a problem uses, or kHost.
inline constexpr int kHost = -1;

/// What CUDA reports of the memory at a pointer. Unregistered memory is pageable host memory, or was allocated on a stream during
/// capture.
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

/// The place where a one-shot call runs. Throws `error` if no place can access both sides, and if the CPU would access memory
/// during the capture of the call's stream, unless the caller asked for the CPU.
int place_of(processor_kind asked, call_memory const& memory);

/// Throws `error` if a plan for this place cannot access both sides.
void refuse_unreachable(int place, call_memory const& memory);

/// True if the CPU would access memory that a GPU may be using.
bool is_shared_with_gpu(int place, call_memory const& memory);

}  // namespace cornerturn
