#pragma once

#include <cuda.h>

#include <string>

#include "block/tensor_map.hpp"

namespace cornerturn::gpu {

/// The reason why TMA cannot be used on the current GPU; empty if it can be used.
std::string why_no_tma();

/// Lets the driver encode a tensor map, on a GPU with TMA. Throws `error` if the driver refuses it.
CUtensorMap encode(tensor_map const& map);

}  // namespace cornerturn::gpu
