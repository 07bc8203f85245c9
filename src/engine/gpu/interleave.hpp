#pragma once

#include <cuda_runtime_api.h>

#include "plan/interleave.hpp"

namespace cornerturn::gpu {

/// Enqueues an interleave plan on a stream. Throws `error` where the launch fails.
void run(interleave_plan const& plan, void const* source, void* destination, cudaStream_t stream);

}  // namespace cornerturn::gpu
