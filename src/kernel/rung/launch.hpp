#pragma once

#include <cuda_runtime_api.h>

#include "kernel/rung/plan.hpp"

namespace cornerturn::gpu {

/// Launches a plan, if it has this element type and its variant has this use. Each pair of a type and a use has its own
/// translation unit, made from launch.cu.in, because the kernels compile slowly.
template <class T, variant_use Use>
void launch_elements(rung_plan const& plan, T const* source, T* destination, cudaStream_t stream);

}  // namespace cornerturn::gpu
