#pragma once

#include <cuda_runtime.h>

#include "kernel/gather/plan.hpp"
#include "kernel/interleave/plan.hpp"
#include "kernel/small/plan.hpp"
#include "kernel/unaligned/plan.hpp"

namespace cornerturn::gpu {

/// Enqueues a plan on a stream. Throws `error` where the launch fails.
void run(gather_plan const& plan, void const* source, void* destination, cudaStream_t stream);
void run(interleave_plan const& plan, void const* source, void* destination, cudaStream_t stream);
void run(unaligned_plan const& plan, void const* source, void* destination, cudaStream_t stream);
void run(small_plan const& plan, void const* source, void* destination, cudaStream_t stream);

}  // namespace cornerturn::gpu
