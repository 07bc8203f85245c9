#pragma once

namespace cornerturn::gpu {

/// The compute capability that this build's kernels are compiled for on the current GPU, times ten: 90 for 9.0. It is lower than
/// the GPU's own where the build has nothing newer for it.
int compiled_capability();

}  // namespace cornerturn::gpu
