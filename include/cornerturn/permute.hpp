#pragma once

#include "cornerturn/cxx20.hpp"

#include <cstdint>
#include <span>
#include <vector>

#include "cornerturn/element_operation.hpp"
#include "cornerturn/export.h"
#include "cornerturn/index_list.hpp"
#include "cornerturn/processor.hpp"

// Order of arguments, here and in plan.hpp, transpose.hpp and typed.hpp: the source precedes the destination. Strides follow
// their pointer or, without pointers, the shape. `permute` and `plan_permute` take the shape of the source, and axes[i] is the
// source's mode that becomes mode i of the destination. `strided_copy` and `plan` take the shape that both sides share.

namespace cornerturn {

/// Options of `strided_copy`.
struct copy_options {
  processor_kind processor = processor_kind::automatic;
  void* stream = nullptr;  ///< the CUDA stream for device memory; the call does not wait for it
  int device = -1;         ///< number of the GPU that moves the data and can access both sides; -1: the owner of the memory
  int threads = 0;         ///< maximum number of threads if the CPU moves the data; 0: no limit besides `set_num_threads`
};

/// Options of `permute`. Strides count elements.
struct permute_options {
  std::vector<std::int64_t> source_strides = {};       ///< one per mode of the source; empty: dense, in C order
  std::vector<std::int64_t> destination_strides = {};  ///< one per mode of the destination; empty: dense, in C order
  processor_kind processor = processor_kind::automatic;
  void* stream = nullptr;  ///< as in `copy_options`
  int device = -1;         ///< as in `copy_options`
  int threads = 0;         ///< as in `copy_options`
};

/// Permutes the modes of an array: mode i of the destination is mode axes[i] of the source, as in numpy.transpose. `element` is
/// the size of the elements, which are then moved bit for bit, or the operation that changes them.
///
/// `shape` is the shape of the source. Negative axes count from the end. Each pointer is the address of element (0, …, 0), even
/// if strides are negative. Both sides are in host memory, or both are in the memory of one GPU. That GPU need not be the current
/// one; `stream` must belong to it, and the call only enqueues the work. Managed memory can be combined with host memory and with
/// device memory.
///
/// CUDA does not know memory that a stream allocates during its capture (cudaMallocAsync). A call on that stream assigns such
/// memory to the GPU `device`, or else to the GPU that owns the other side; if neither is known, the call throws. A call on any
/// other stream throws, because the CPU cannot read such memory. During stream capture the CPU moves data only if `processor` is
/// cpu. If `stream` is not null, the call first waits for it, so that host memory that CUDA knows (pinned or managed) is moved in
/// stream order. With the default stream, and for plans of the CPU, the caller waits.
///
/// With `processor_kind::gpu`, host memory of any size is copied to the current GPU in pieces, permuted there and copied back;
/// these three steps overlap. That call takes no stream and returns when the result is complete.
///
/// Source strides may be 0 (broadcast), and source elements may overlap. Destination elements must not overlap: with modes sorted
/// by the magnitude of their strides, each stride must exceed the span of the modes before it. This rule also rejects a few valid
/// destinations, whose modes interleave. The address ranges of source and destination must not overlap, not even in their gaps.
///
/// Throws `error`, before any element is accessed, for
/// - axes that are not a permutation, lists whose length differs from the shape's, more than 64 modes and negative extents,
/// - null pointers if there is something to move, and sizes and layouts beyond 64 bits,
/// - a destination that breaks the rule above, and overlapping address ranges,
/// - memory or a processor that does not support the call.
///
/// With an operation it also throws `error` for
/// - pointers that are not multiples of their elements' sizes,
/// - a complex source or complex factors with a real destination,
/// - more than 24 modes that cannot be merged on a GPU,
/// - beta with `processor_kind::gpu` and host memory, which would be copied to the GPU twice.
///
/// Throws `error` of kind device if a launch fails. On the CPU each thread allocates some hundred kilobytes; if that fails,
/// std::bad_alloc is thrown and the destination is partly written.
///
/// ```cpp
/// std::vector<float> image(480 * 640 * 3), planes(image.size());
/// cornerturn::permute(image.data(), planes.data(), {480, 640, 3}, {2, 0, 1}, sizeof(float));
/// ```
CORNERTURN_API void permute(void const* source, void* destination, index_list shape, index_list axes, elements const& element,
                            permute_options const& options = {});

/// Copies an array from one layout to another: destination[i] = source[i], changed by the operation if there is one, for every
/// index i of `shape`. The rules of `permute` for pointers, strides, memory and errors apply. Strides count elements.
CORNERTURN_API void strided_copy(void const* source, index_list source_strides, void* destination, index_list destination_strides,
                                 index_list shape, elements const& element, copy_options const& options = {});

/// Permutes several arrays of one shape and layout, like the `permute` above. The result of sources[i] begins i * batch_stride
/// elements after `destination`. All arrays have the same scale and bias. On a GPU, one launch moves 256 arrays if the operation
/// has scale or bias (e.g. normalised images); otherwise each array has a launch of its own. On the CPU, several threads share
/// out the arrays. `sources` itself is in host memory and is not needed after the call.
///
/// The rules of `permute` apply to each array. The destination must satisfy them as one array with one more mode. Nothing is
/// moved if there are no arrays. Also throws `error` for arrays in different places, and for `processor_kind::gpu` with host
/// memory.
CORNERTURN_API void permute_batched(std::span<void const* const> sources, void* destination, std::int64_t batch_stride,
                                    index_list shape, index_list axes, elements const& element,
                                    permute_options const& options = {});

}  // namespace cornerturn
