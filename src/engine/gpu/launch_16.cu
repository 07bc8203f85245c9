#include "engine/gpu/launch.cuh"

namespace cornerturn::gpu {

template void launch_elements(rung_plan const&, bits128 const*, bits128*, cudaStream_t);

}  // namespace cornerturn::gpu
