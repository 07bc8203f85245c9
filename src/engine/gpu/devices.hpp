#pragma once

#include <string>

namespace cornerturn::gpu {

/// The number of the calling thread's device. Throws `error` where there is none.
int current_device();

/// The name of a device, e.g. "NVIDIA H200". Throws `error` where there is none of this number, saying which there are.
std::string device_name(int device);

}  // namespace cornerturn::gpu
