#pragma once

#include <cuda_runtime_api.h>

#include "plan/gather.hpp"

namespace cornerturn::gpu {

/// Enqueues a gather plan on a stream. Throws `error` where the launch fails.
void run(gather_plan const& plan, void const* source, void* destination, cudaStream_t stream);

}  // namespace cornerturn::gpu
