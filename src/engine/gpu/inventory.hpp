#pragma once

#include "cornerturn/info.hpp"

namespace cornerturn::gpu {

/// Fills in what `info` tells about GPUs: the engine built in, driver and runtime, the devices.
void take_inventory(build_info& into);

}  // namespace cornerturn::gpu
