#pragma once

#include "fuzz/problems.hpp"
#include "machine/gpu_model.hpp"

namespace cornerturn::fuzz {

/// A GPU that often has little shared memory and small clusters or none, so that small arrays are cut as large ones are.
gpu_model random_gpu(random_source& random);

/// A problem whose bytes are copied, and one whose elements change. Most are as small as the kernels that they suit allow.
problem random_gpu_copy(random_source& random);
problem random_gpu_change(random_source& random);

/// A dense array that a GPU permutes in place.
dense_permutation random_gpu_inplace(random_source& random);

}  // namespace cornerturn::fuzz
