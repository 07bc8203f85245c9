#pragma once

#include <cuda.h>

#include <string>

#include "block/tensor_map.hpp"

namespace cornerturn::gpu {

/// The reason why TMA cannot be used on the current GPU. Empty if it can.
std::string why_no_tma();

/// Encodes a tensor map by the driver, on a GPU with TMA. Throws `error` if the driver refuses it.
CUtensorMap encode(tensor_map const& map);

}  // namespace cornerturn::gpu
