#pragma once

#include <cuda_runtime_api.h>

#include "plan/unaligned.hpp"

namespace cornerturn::gpu {

/// Enqueues an unaligned plan on a stream. Throws `error` where the launch fails.
void run(unaligned_plan const& plan, void const* source, void* destination, cudaStream_t stream);

}  // namespace cornerturn::gpu
