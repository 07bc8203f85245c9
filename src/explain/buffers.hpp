#pragma once

#include <cstdint>

namespace cornerturn {

/// The alignment of cudaMalloc's buffers in bytes.
inline constexpr int kBufferAlign = 256;
/// The origin of reported addresses. Buffers begin at or shortly after it; no memory exists at these addresses.
inline constexpr std::uintptr_t kBufferOrigin = std::uintptr_t(1) << 20;

/// The address of a buffer that is aligned to exactly `align` bytes, or to at least kBufferAlign bytes if `align` is
/// kBufferAlign.
constexpr std::uintptr_t buffer_address(int align) { return kBufferOrigin + std::uintptr_t(align % kBufferAlign); }

/// Throws `error` unless both alignments are powers of two from the element size (from 1 if it is 0) to kBufferAlign. If both
/// are equal, the message calls them "align".
void expect_aligns(int source, int destination, int element_size = 0);

}  // namespace cornerturn
