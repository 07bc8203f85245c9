#pragma once

#include <string_view>

#include "cornerturn/processor.hpp"
#include "problem/validate.hpp"

namespace cornerturn {

/// A place is the number of the GPU whose memory a problem uses, or kHost.
inline constexpr int kHost = -1;

/// What CUDA reports about the memory at a pointer. Unregistered memory is unknown to CUDA: it is pageable host memory, or memory
/// that a stream allocated during its capture, until the graph is launched. Unqueried memory is the host's if CUDA is not
/// initialised; otherwise its place is known without asking CUDA.
struct pointer_attributes {
  enum class memory { unqueried, unregistered, host, device, managed };
  memory type = memory::unqueried;
  int device = kHost;  ///< the GPU whose memory it is; for managed memory, the current GPU
};

/// The memory of a one-shot call.
struct call_memory {
  pointer_attributes source, destination;
  bool capturing = false;                                                     ///< the call's stream is being captured
  std::string_view source_name = "source", destination_name = "destination";  ///< the arguments' names in messages
};

/// The place where a one-shot call runs. Throws `error` if no place can access both sides, and if the CPU would access memory
/// during the capture of the call's stream, unless the caller asked for the CPU.
int place_of(processor_kind asked, call_memory const& memory);

/// The bytes that a call accesses on one side.
struct accessed_bytes {
  void const* pointer;
  byte_range range;  ///< not empty
};

/// Throws `error` if the CPU would access unregistered memory that it cannot read, because it was allocated during a capture. The
/// state of a stream does not show this: the capture may be any stream's, and the default stream only reports captures of
/// blocking streams. The test reads the accessed bytes, because the pointers themselves may have any value.
void refuse_unreadable(int place, call_memory const& memory, accessed_bytes const& read, accessed_bytes const& written);
/// The same test for one array, which the CPU would access. `name` is the argument's name in messages.
void refuse_unreadable(std::string_view name, pointer_attributes const& memory, accessed_bytes const& bytes);

/// Throws `error` if a plan for this place, which has something to move, cannot access both sides.
void refuse_unreachable(int place, call_memory const& memory);

/// True if the CPU would access memory that a GPU may be using.
bool is_shared_with_gpu(int place, call_memory const& memory);

}  // namespace cornerturn
