#pragma once

#include <cstddef>
#include <span>

namespace cornerturn::gpu {

/// Writes a few bytes of the host to memory of a device, in the order of a stream (a cudaStream_t; null: the default stream). The
/// bytes are kept when the call returns, also in a stream's capture.
void write(void* destination, std::span<std::byte const> bytes, int device, void* stream);

}  // namespace cornerturn::gpu
