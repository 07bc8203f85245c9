#pragma once

#include <cstddef>
#include <cstdint>

namespace cornerturn {

/// Of shared memory, that a program leaves for a barrier: as much as a GPU's has.
inline constexpr int kBarrierBytes = 8;

/// What a descriptor of the tensor memory accelerator (TMA) says: a batch of matrices in global memory, and the box that one
/// instruction moves between it and shared memory. What of a box lies outside the matrix is read as zeros and not written, apart
/// from the last 16-byte unit of a row, which the hardware stores whole (triton-lang/triton, issue 11583).
struct box_map {
  static constexpr int kRowBytes = 128;  ///< of a box

  std::byte* base = nullptr;
  int element_size = 0;
  std::int64_t cols = 0, rows = 0, batch = 0;     ///< extents in elements, rows and matrices
  std::int64_t pitch_bytes = 0, batch_bytes = 0;  ///< from one row, and one matrix, to the next
  int box_rows = 0;                               ///< at most 256
  bool swizzled = false;                          ///< 16-byte units XORed with their row's number modulo 8
};

}  // namespace cornerturn
