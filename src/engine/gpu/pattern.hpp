#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace cornerturn::gpu {

/// Fills `count` elements with bits that depend on the element's index only.
void fill_pattern(void* memory, std::int64_t count, int element_size, cudaStream_t stream);

/// The number of wrong elements in a dense destination. It should be the transpose of a dense rows x cols source filled by
/// `fill_pattern`, or the source itself if `transposed` is false. Waits for the stream.
std::int64_t count_wrong(void const* destination, std::int64_t rows, std::int64_t cols, int element_size, bool transposed,
                         cudaStream_t stream);

}  // namespace cornerturn::gpu
