#pragma once

#include <cuda_runtime.h>

#include "plan/gather.hpp"
#include "plan/interleave.hpp"
#include "plan/small.hpp"
#include "plan/unaligned.hpp"

namespace cornerturn::gpu {

/// Enqueues a plan on a stream. Throws `error` where the launch fails.
void run(gather_plan const& plan, void const* source, void* destination, cudaStream_t stream);
void run(interleave_plan const& plan, void const* source, void* destination, cudaStream_t stream);
void run(unaligned_plan const& plan, void const* source, void* destination, cudaStream_t stream);
void run(small_plan const& plan, void const* source, void* destination, cudaStream_t stream);

}  // namespace cornerturn::gpu
