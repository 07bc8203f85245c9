#pragma once

#include <cuda_runtime.h>

#include <type_traits>

#include "cuda/check.hpp"

namespace cornerturn {

/// The configuration of a kernel launch.
struct launch_shape {
  dim3 blocks;            ///< grid size, in blocks
  unsigned threads = 0;   ///< threads per block
  int shared_bytes = 0;   ///< bytes of dynamic shared memory per block
  bool overlaps = false;  ///< programmatic dependent launch: the kernel itself waits for the previous one on the stream
  int cluster = 1;        ///< blocks of a cluster
};

/// Enqueues a kernel and checks the status of the launch. cudaGetLastError would also report, and clear, an earlier error of the
/// caller.
template <class... Params>
void launch_kernel(void (*kernel)(Params...), launch_shape const& shape, cudaStream_t stream,
                   std::type_identity_t<Params> const&... args) {
  cudaLaunchAttribute attributes[2]{};
  unsigned count = 0;
  if (shape.overlaps) {
    attributes[count].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attributes[count++].val.programmaticStreamSerializationAllowed = 1;
  }
  if (shape.cluster > 1) {
    attributes[count].id = cudaLaunchAttributeClusterDimension;
    attributes[count++].val.clusterDim = {unsigned(shape.cluster), 1, 1};
  }
  cudaLaunchConfig_t config{};
  config.gridDim = shape.blocks;
  config.blockDim = shape.threads;
  config.dynamicSmemBytes = std::size_t(shape.shared_bytes);
  config.stream = stream;
  config.attrs = attributes;
  config.numAttrs = count;
  check(cudaLaunchKernelEx(&config, kernel, args...), "a kernel launch");
}

}  // namespace cornerturn
