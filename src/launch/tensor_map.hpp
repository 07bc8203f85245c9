#pragma once

#include <cuda.h>

#include <string>

#include "block/tensor_map.hpp"

namespace cornerturn::gpu {

/// Why TMA cannot be used on the current GPU; empty where it can.
std::string why_no_tma();

/// The driver's descriptor of what TMA moves, on a GPU that has it. Throws `error` where the driver refuses it.
CUtensorMap encode(tensor_map const& map);

}  // namespace cornerturn::gpu
