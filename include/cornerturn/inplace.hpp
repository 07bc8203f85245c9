#pragma once

#include "cornerturn/cxx20.hpp"

#include <cstdint>
#include <memory>
#include <string>

#include "cornerturn/explain.hpp"
#include "cornerturn/export.h"
#include "cornerturn/index_list.hpp"
#include "cornerturn/processor.hpp"
#include "cornerturn/worker_threads.hpp"

// Permutations within one array, of any modes. Those that exchange two modes, such as transposes of matrices and of batches of
// them, take one pass over the array if the two have equal extents, else two. Other permutations are a sequence of exchanges.
// Consecutive modes that stay together count as one mode. Permutations that move no element, as they only move modes of extent 1
// or the array is empty, do nothing and succeed.

namespace cornerturn {

/// Options of `permute_inplace`.
struct inplace_options {
  processor_kind processor = processor_kind::automatic;  ///< `gpu` is for memory that a GPU can access
  void* stream = nullptr;                                ///< the CUDA stream for device memory; the call does not wait for it
  int device = -1;              ///< number of the GPU that moves the data and can access it; -1: the owner of the memory
  int threads = 0;              ///< maximum number of threads if the CPU moves the data; 0: no limit besides `set_num_threads`
  std::int64_t workspace = -1;  ///< bytes of workspace at most; -1: the larger of a fiftieth of the array and 8 MB
};

/// Permutes the modes of a dense array in C order within its memory: afterwards the memory holds the dense array in C order whose
/// mode i is mode axes[i] of the array before, bit for bit.
///
/// `shape` is the shape before the call. Negative axes count from the end. `element_size` is in bytes and at least 1. An exchange
/// of modes of equal extent reads and writes each byte once; any other exchange twice, unless the array is small, and a workspace
/// is allocated if the extents need one. The exchanges of a call share the workspace. On a GPU the call only enqueues the work,
/// and the workspace is allocated and freed in stream order. The rules of `permute` for host memory, device memory, managed
/// memory and streams apply.
///
/// Throws `error`, before any element is accessed, for axes that are not a permutation, for exchanges whose longer group of
/// modes has too many bytes (docs/inplace.md), lists whose length differs, more than 64 modes, negative extents, a null pointer
/// if there is something to move, sizes beyond 64 bits, a limit of the workspace that is too low, a workspace that cannot be
/// allocated, and memory or a processor that does not support the call. Host memory is never moved by a GPU.
///
/// Elements may have moved, so that the array is lost, after two failures only: `error` of kind device if a launch or an earlier
/// operation on the GPU fails, and std::bad_alloc if the CPU's threads find no memory for their tiles.
CORNERTURN_API void permute_inplace(void* data, index_list shape, index_list axes, std::int64_t element_size,
                                    inplace_options const& options = {});

/// Options of `plan_permute_inplace`.
struct inplace_plan_options {
  processor_kind processor = processor_kind::automatic;
  /// The guaranteed alignment of the pointer in bytes, a power of two. Values above 16 make no difference, nor do any on the CPU.
  int alignment = 16;
  int device = -1;              ///< the number of the GPU; -1: the current one
  int threads = 0;              ///< maximum number of threads of a run on the CPU; 0: no limit besides `set_num_threads`
  std::int64_t workspace = -1;  ///< bytes of workspace at most; -1: the larger of a fiftieth of the array and 8 MB
};

struct prepared_plan;

/// The plan of one permutation in place. It is immutable and cheap to copy, and any number of threads and streams may run it at
/// once, each on an array of its own.
class CORNERTURN_API inplace_plan {
 public:
  /// `plan_permute_inplace` makes plans.
  explicit inplace_plan(std::shared_ptr<prepared_plan const> prepared);

  /// Runs the plan, on a GPU by enqueueing it on `stream` (a CUDA stream; null is the default one). The call does not
  /// synchronise, so it can be captured in a graph. `workspace` has `workspace_bytes()` bytes of the memory where the plan runs,
  /// outside the array, and runs at the same time do not share it. If it is null, a run allocates what it needs, on a GPU in
  /// stream order.
  ///
  /// Throws `error`, before any element is accessed, for a null pointer if there is something to move, on a GPU for a pointer
  /// less aligned than planned, for a workspace whose address is not a multiple of 16, for one that overlaps the array, for one
  /// that cannot be allocated, and for memory that the planned device cannot access. The failures after which elements may have
  /// moved are those of `permute_inplace`.
  void run(void* data, void* stream = nullptr, void* workspace = nullptr) const;

  /// The workspace that a run needs, in bytes; often 0. Threads of the CPU have memory of their own besides, for one panel each.
  std::int64_t workspace_bytes() const;

  /// Runs a plan of the CPU on threads of the caller, as `permutation_plan::run_on` does.
  void run_on(worker_threads const& workers, void* data, void* workspace = nullptr) const;

  /// Counts, on the host, the memory requests of the plan's kernels on a GPU. For a CPU plan, explains the kernels that a GPU
  /// would run for the same problem. The array is assumed to be aligned like that of cudaMalloc, unless the plan is for a less
  /// aligned one. Throws `error` as `explain_plan` does.
  explanation explain() const;

  /// One line: the problem, the processor, the steps and, on a GPU, the expected time.
  std::string describe() const;

 private:
  std::shared_ptr<prepared_plan const> prepared_;
};

/// Plans a `permute_inplace`. Throws `error` for arguments that `permute_inplace` rejects, for an alignment that is not a power
/// of two, and for a device that does not exist.
CORNERTURN_API inplace_plan plan_permute_inplace(index_list shape, index_list axes, std::int64_t element_size,
                                                 inplace_plan_options const& options = {});

}  // namespace cornerturn
