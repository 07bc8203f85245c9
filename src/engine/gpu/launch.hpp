#pragma once

#include <cuda_runtime_api.h>

#include "plan/plan.hpp"
#include "tile/job.hpp"

namespace cornerturn::gpu {

/// One element type's share of `run`; each has a translation unit of its own, for these compile slowly.
template <class T>
void launch_elements(rung_plan const& plan, T const* source, T* destination, cudaStream_t stream);

extern template void launch_elements(rung_plan const&, std::uint8_t const*, std::uint8_t*, cudaStream_t);
extern template void launch_elements(rung_plan const&, std::uint16_t const*, std::uint16_t*, cudaStream_t);
extern template void launch_elements(rung_plan const&, std::uint32_t const*, std::uint32_t*, cudaStream_t);
extern template void launch_elements(rung_plan const&, std::uint64_t const*, std::uint64_t*, cudaStream_t);
extern template void launch_elements(rung_plan const&, bits128 const*, bits128*, cudaStream_t);

}  // namespace cornerturn::gpu
