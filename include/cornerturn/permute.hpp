#pragma once

#include <cstdint>
#include <vector>

#include "cornerturn/export.h"
#include "cornerturn/index_list.hpp"
#include "cornerturn/processor.hpp"

namespace cornerturn {

struct copy_options {
  processor_kind processor = processor_kind::automatic;
  void* stream = nullptr;  ///< the CUDA stream for device memory; the call returns without waiting for it
  int device = -1;         ///< the GPU that moves both sides, and must reach them; -1: CUDA is asked whose memory they are
};

/// Strides count elements and may be left out.
struct permute_options {
  std::vector<std::int64_t> source_strides;       ///< one for each mode of the source; none: dense, in C order
  std::vector<std::int64_t> destination_strides;  ///< one for each mode of the destination; none: dense, in C order
  processor_kind processor = processor_kind::automatic;
  void* stream = nullptr;  ///< as in `copy_options`
  int device = -1;         ///< as in `copy_options`
};

/// Permutes the modes of an array: mode i of the destination is mode axes[i] of the source, as in NumPy's transpose, bit for bit.
///
/// `shape` is the source's; negative axes count from the end. `element_size` is in bytes, any size from 1. Either pointer is that
/// of element (0, …, 0), also where strides are negative. Both sides lie in host memory, or both in the memory of one GPU, which
/// need not be the current one, and whose the stream is. There the call only enqueues its work. Managed memory goes with either.
///
/// CUDA does not know memory that a stream allocates while it is captured (cudaMallocAsync). A call on that stream takes such
/// memory for that of the GPU which `device` names, or whose memory the other side is; where neither tells, the call is refused.
/// A call on any other stream refuses such memory, because the CPU cannot read it.
/// On a stream that is being captured the CPU moves nothing, unless `processor` is cpu. Host memory that CUDA knows (pinned,
/// managed) is moved in the order of the stream that is given: the call waits for the stream first.
///
/// Host memory with `processor_kind::gpu` is moved by way of the current GPU, in pieces that are copied there, permuted and
/// copied back at once with each other, whatever the size of the arrays; the call returns when all is done and takes no stream.
///
/// Source strides may be 0 (the mode repeats) and may overlap. A destination is accepted when its modes, sorted by the magnitude
/// of their strides, each step past the span of those before them; this rules out a few destinations without overlap whose modes
/// interleave. Source and destination must be apart by address range: their gaps may not be shared either.
///
/// Throws `error`, before anything is touched: axes that are no permutation, lists that do not fit the shape, more than 64 modes,
/// negative extents, null pointers where there is something to move, sizes and layouts past 64 bits, a destination as above,
/// overlap, memory or a processor that cannot serve the call. Throws `error` of kind device where a launch fails. On the CPU
/// each thread needs some hundred kilobytes; where they are lacking, std::bad_alloc passes through and the destination holds some
/// of the result.
CORNERTURN_API void permute(void const* source, void* destination, index_list shape, index_list axes, std::int64_t element_size,
                            permute_options const& options = {});

/// Copies an array from one layout to another: destination[i] = source[i] for every index of `shape`, bit for bit. What `permute`
/// says of pointers, strides, memory and errors holds here too.
CORNERTURN_API void strided_copy(void const* source, index_list source_strides, void* destination, index_list destination_strides,
                                 index_list shape, std::int64_t element_size, copy_options const& options = {});

}  // namespace cornerturn
