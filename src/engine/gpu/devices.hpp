#pragma once

#include <string>

#include "plan/prepared.hpp"

namespace cornerturn::gpu {

/// The number of the calling thread's device. Throws `error` where there is none.
int current_device();

/// The number of the GPU in whose memory `pointer` lies, which is the current one where the memory is managed; kHost where it is
/// the host's.
int device_of(void const* pointer);

/// Makes a device the current one for as long as it lives.
class on_device {
 public:
  explicit on_device(int device);
  on_device(on_device const&) = delete;
  ~on_device();

 private:
  int before_;
  bool changed_;
};

/// The name of a device, e.g. "NVIDIA H200". Throws `error` where there is none of this number, saying which there are.
std::string device_name(int device);

}  // namespace cornerturn::gpu
