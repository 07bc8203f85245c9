#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace cornerturn::gpu {

/// Fills `count` elements with bits that depend on their index alone.
void fill_pattern(void* memory, std::int64_t count, int element_size, cudaStream_t stream);

/// How many elements of a dense destination are not what a dense rows x cols source filled by `fill_pattern` should have become:
/// its transpose, or (not `transposed`) itself. Waits for the stream.
std::int64_t count_wrong(void const* destination, std::int64_t rows, std::int64_t cols, int element_size, bool transposed,
                         cudaStream_t stream);

}  // namespace cornerturn::gpu
