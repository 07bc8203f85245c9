#pragma once

#include <cstdint>
#include <string>

#include "cornerturn/export.h"
#include "cornerturn/processor.hpp"

namespace cornerturn {

/// What a transpose may be told beyond its shape. Pitches and strides count elements; 0 means densely packed.
struct transpose_options {
  std::int64_t source_pitch = 0;              ///< from one source row to the next; at least cols
  std::int64_t destination_pitch = 0;         ///< from one destination row to the next; at least rows
  std::int64_t batch = 1;                     ///< how many matrices
  std::int64_t source_batch_stride = 0;       ///< from one source matrix to the next
  std::int64_t destination_batch_stride = 0;  ///< from one destination matrix to the next
  processor_kind processor = processor_kind::automatic;
  std::string
      kernel;  ///< a rung by name (see `rung_names`) instead of the plan's choice; on host memory its host executor runs it
  void* stream = nullptr;  ///< the CUDA stream for device memory; the call returns without waiting for it
  int device = -1;         ///< the GPU that moves both sides, and must reach them; -1: CUDA is asked whose memory they are
};

/// Writes the transpose of a matrix (or a batch of them): destination[b][c][r] = source[b][r][c], bit for bit.
///
/// `source` has shape (batch, rows, cols), `destination` (batch, cols, rows); both lie in host memory or both in the memory of
/// one GPU, and do not overlap; what `permute` says of managed memory and of streams holds here too. `element_size` is in bytes,
/// any size from 1. On a GPU the call only enqueues its work.
///
/// Throws `error`: null pointers where there is something to move, negative extents, pitches shorter than a row, sizes past 64
/// bits, overlapping source and destination, an unknown kernel, a kernel or processor that cannot serve the problem.
CORNERTURN_API void transpose(void const* source, void* destination, std::int64_t rows, std::int64_t cols,
                              std::int64_t element_size, transpose_options const& options = {});

}  // namespace cornerturn
