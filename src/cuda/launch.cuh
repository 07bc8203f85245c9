#pragma once

#include <cuda_runtime.h>

#include <type_traits>

#include "cuda/check.hpp"

namespace cornerturn {

/// How many blocks a launch has, how many threads each has, and with what else they start.
struct launch_shape {
  dim3 blocks;
  unsigned threads = 0;   ///< of a block
  int shared_bytes = 0;   ///< dynamic shared memory of a block
  bool overlaps = false;  ///< the kernel may start while the one in front of it on the stream ends, as it waits for that itself
};

/// Enqueues a kernel and checks the launch's own status. cudaGetLastError would also report an error that the caller has left
/// behind, and would take it from the caller.
template <class... Params>
void launch_kernel(void (*kernel)(Params...), launch_shape const& shape, cudaStream_t stream,
                   std::type_identity_t<Params> const&... args) {
  cudaLaunchAttribute overlap{};
  overlap.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  overlap.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = shape.blocks;
  config.blockDim = shape.threads;
  config.dynamicSmemBytes = std::size_t(shape.shared_bytes);
  config.stream = stream;
  config.attrs = &overlap;
  config.numAttrs = shape.overlaps ? 1 : 0;
  check(cudaLaunchKernelEx(&config, kernel, args...), "a kernel launch");
}

}  // namespace cornerturn
