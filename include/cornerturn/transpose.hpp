#pragma once

#include "cornerturn/cxx20.hpp"

#include <cstdint>
#include <string>

#include "cornerturn/export.h"
#include "cornerturn/processor.hpp"

namespace cornerturn {

/// Options of `transpose`. Pitches and batch strides count elements; 0 means densely packed.
struct transpose_options {
  std::int64_t source_pitch = 0;              ///< from one source row to the next; at least `cols`
  std::int64_t destination_pitch = 0;         ///< from one destination row to the next; at least `rows`
  std::int64_t batch = 1;                     ///< number of matrices
  std::int64_t source_batch_stride = 0;       ///< from one source matrix to the next
  std::int64_t destination_batch_stride = 0;  ///< from one destination matrix to the next
  processor_kind processor = processor_kind::automatic;
  /// A kernel from `rung_names`, which runs on the host executor for host memory; empty: the planner chooses.
  std::string kernel = {};
  void* stream = nullptr;  ///< the CUDA stream for device memory; the call does not wait for it
  int device = -1;         ///< number of the GPU that moves the data and can access both sides; -1: the owner of the memory
  int threads = 0;         ///< maximum number of threads if the CPU moves the data; 0: no limit besides `set_num_threads`
};

/// Transposes a matrix or a batch of matrices: destination[b][c][r] = source[b][r][c], bit for bit.
///
/// `source` has shape (batch, rows, cols) and `destination` has shape (batch, cols, rows). Both are in host memory, or both are
/// in the memory of one GPU, and they do not overlap. The rules of `permute` for managed memory and streams apply. `element_size`
/// is in bytes and at least 1. On a GPU the call only enqueues the work.
///
/// Throws `error` for null pointers if there is something to move, negative extents, a pitch shorter than a row, sizes beyond 64
/// bits, overlapping source and destination, an unknown kernel, and a kernel or processor that does not support the problem.
///
/// ```cpp
/// double const source[2][3] = {{1, 2, 3}, {4, 5, 6}};
/// double destination[3][2];
/// cornerturn::transpose(source, destination, 2, 3, sizeof(double));
/// ```
CORNERTURN_API void transpose(void const* source, void* destination, std::int64_t rows, std::int64_t cols,
                              std::int64_t element_size, transpose_options const& options = {});

}  // namespace cornerturn
