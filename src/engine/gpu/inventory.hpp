#pragma once

#include "cornerturn/info.hpp"

namespace cornerturn::gpu {

/// Fills in the members about GPUs: the GPU engine of this build, driver and runtime, and the devices.
void take_inventory(build_info& into);

}  // namespace cornerturn::gpu
