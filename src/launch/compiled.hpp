#pragma once

namespace cornerturn::gpu {

/// The compute capability, times ten, for which the kernels that run on the current GPU are compiled: 90 for 9.0. It is lower
/// than the GPU's own if the build has no newer kernels.
int compiled_capability();

/// True if launches may overlap on the current GPU: its kernels are compiled for compute capability 9.0, and so wait for the
/// previous launch themselves.
bool overlaps_launches();

}  // namespace cornerturn::gpu
