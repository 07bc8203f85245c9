#pragma once

#include <cuda_runtime_api.h>

namespace cornerturn::gpu {

/// A launch of at most this many blocks overlaps with the next launch on its stream (programmatic dependent launch). With more
/// blocks, starting the next launch early costs more than it gains.
inline constexpr int kMostOverlappingBlocks = 2304;

/// The compute capability, times ten, for which the kernels that run on the current GPU are compiled: 90 for 9.0. It is lower
/// than the GPU's own if the build has no newer kernels.
int compiled_capability();

/// True if launches may overlap on the current GPU: its kernels are compiled for compute capability 9.0, and so wait for the
/// previous launch themselves.
bool overlaps_launches();

/// True if a launch on this stream should be allowed to overlap with the work before it. On a stream, the launch then starts without
/// a gap after any kernel. In a graph there is no gap, and only a kernel of ours in few blocks lets the launch start early. After
/// other kernels the launch would start later than without the permission (docs/notebook/gpu.md, "Between other kernels").
bool gains_by_overlap(cudaStream_t stream);

}  // namespace cornerturn::gpu
