#pragma once

namespace cornerturn::gpu {

/// The compute capability that this build's kernels are compiled for on the current GPU, times ten: 90 for 9.0. It is lower than
/// the GPU's own where the build has nothing newer for it.
int compiled_capability();

/// Whether this build's kernels on the current GPU may begin before those in front of them on the stream have ended, as they wait
/// for these themselves: compute capability 9.0.
bool overlaps_launches();

}  // namespace cornerturn::gpu
