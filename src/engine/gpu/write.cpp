#include "engine/gpu/write.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>

#include "cuda/check.hpp"
#include "engine/gpu/devices.hpp"

namespace cornerturn::gpu {

/// Sets each run of equal bytes, because a capture would keep the address of a copy's source instead of its bytes.
void write(void* destination, std::span<std::byte const> bytes, int device, void* stream) {
  on_device const current(device);
  auto* to = static_cast<std::byte*>(destination);
  while (!bytes.empty()) {
    auto const run = std::size_t(std::ranges::find_if(bytes, [&](std::byte each) { return each != bytes[0]; }) - bytes.begin());
    check(cudaMemsetAsync(to, int(bytes[0]), run, static_cast<cudaStream_t>(stream)), "cudaMemsetAsync");
    to += run;
    bytes = bytes.subspan(run);
  }
}

}  // namespace cornerturn::gpu
