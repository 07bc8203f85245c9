#pragma once

#include <cstdint>

namespace cornerturn {

/// Bytes to which buffers are aligned that cudaMalloc gives.
inline constexpr int kBufferAlign = 256;
/// Addresses are told from here. Buffers begin at it or a little later; they are numbers, not memory.
inline constexpr std::uintptr_t kBufferOrigin = std::uintptr_t(1) << 20;

/// Where a buffer begins that is aligned to so many bytes and no more, or, if these are kBufferAlign, to as many.
constexpr std::uintptr_t buffer_address(int align) { return kBufferOrigin + std::uintptr_t(align % kBufferAlign); }

/// Throws `error` unless both alignments are powers of two from the element size (or, if that is 0, from 1) to kBufferAlign. One
/// number may have been given for both.
void expect_aligns(int source, int destination, int element_size = 0);

}  // namespace cornerturn
