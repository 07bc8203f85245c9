#include "engine/gpu/launch.cuh"

namespace cornerturn::gpu {

template void launch_elements(rung_plan const&, std::uint16_t const*, std::uint16_t*, cudaStream_t);

}  // namespace cornerturn::gpu
