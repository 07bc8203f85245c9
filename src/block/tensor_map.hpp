#pragma once

#include <cstddef>
#include <cstdint>

namespace cornerturn {

/// Bytes of shared memory that a program reserves for an mbarrier.
inline constexpr int kBarrierBytes = 8;

/// A tensor map, the descriptor of the tensor memory accelerator (TMA): a batch of matrices in global memory, and the box that
/// one instruction moves between them and shared memory. TMA reads zeros where a box extends past the matrix, and does not write
/// there. The exception is the last 16-byte unit of a row, which TMA stores whole (triton-lang/triton, issue 11583).
struct tensor_map {
  static constexpr int kRowBytes = 128;  ///< bytes of a box's row

  std::byte* base = nullptr;                      ///< address of the first matrix
  int element_size = 0;                           ///< bytes
  std::int64_t cols = 0;                          ///< elements of a row
  std::int64_t rows = 0;                          ///< rows of a matrix
  std::int64_t batch = 0;                         ///< matrices
  std::int64_t pitch_bytes = 0, batch_bytes = 0;  ///< bytes from one row, and from one matrix, to the next
  int box_rows = 0;                               ///< rows of a box, at most 256
  bool swizzled = false;  ///< true for the 128-byte swizzle: a unit's index is XORed with its row's modulo 8
};

}  // namespace cornerturn
