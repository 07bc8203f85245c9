#pragma once

#include <optional>

#include "machine/gpu_model.hpp"
#include "plan/place.hpp"

namespace cornerturn::gpu {

/// The number of the calling thread's device. Throws `error` if there is none.
int current_device();

/// True if CUDA is started in this process and has a GPU that can be used. If not, all memory is unregistered host memory.
bool has_memory();

/// The kind of memory at a pointer, as CUDA reports it. Requires `has_memory()`. If CUDA fails, the memory counts as
/// unregistered.
pointer_attributes attributes_of(void const* pointer);

/// True if the stream (a cudaStream_t) is being captured, or cannot be used now because another stream is being captured.
/// Requires `has_memory()`.
bool is_capturing(void* stream);

/// Waits for all work on the stream (a cudaStream_t).
void synchronize(void* stream);

/// Makes a device's primary context the calling thread's current context for the lifetime of this object. Afterwards the previous
/// context is current again, or none. cudaSetDevice could not restore this: it would create a context on an unused device.
class device_context {
 public:
  explicit device_context(int device);
  device_context(device_context const&) = delete;
  ~device_context();

 private:
  int device_;
};

/// Makes a device the current one for the lifetime of this object.
class on_device {
 public:
  explicit on_device(int device);

 private:
  std::optional<device_context> changed_;  ///< empty if the device is the current one already
};

/// The attributes of a device, as CUDA reports them. Takes milliseconds.
gpu_attributes attributes_of_device(int device);

/// The model for estimates of plans for a device; its `limits.name` is the device's name, e.g. "NVIDIA H200". Throws `error`,
/// with the numbers that exist, if there is no such device.
gpu_model const& model_of(int device);

}  // namespace cornerturn::gpu
