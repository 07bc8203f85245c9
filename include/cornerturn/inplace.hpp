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

// Permutations within one array, of any modes. An exchange of two modes, such as the transpose of a batch of matrices, takes one
// pass over the array if the two have equal extents, else two. Other permutations are a sequence of exchanges. Consecutive modes
// that stay together count as one mode. A permutation that moves no element (an empty array, or only modes of extent 1 move)
// succeeds and does nothing.

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
/// Throws `error`, before any element is accessed, for
/// - axes that are not a permutation, lists whose lengths differ, more than 64 modes, negative extents and sizes beyond 64 bits,
/// - a null pointer if there is something to move,
/// - exchanges whose longer group of modes has too many bytes (docs/inplace.md),
/// - a limit of the workspace that is too low, and a workspace that cannot be allocated,
/// - memory or a processor that does not support the call. A GPU moves no host memory.
///
/// After two failures elements may have moved, and the array is lost: `error` of kind device if a launch or an earlier operation
/// on the GPU fails, and std::bad_alloc if the CPU's threads find no memory for their tiles.
///
/// ```cpp
/// std::vector<int> matrix{1, 2, 3, 4, 5, 6};
/// cornerturn::permute_inplace(matrix.data(), {2, 3}, {1, 0}, sizeof(int));
/// ```
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
  /// Throws `error`, before any element is accessed, for
  /// - a null pointer if there is something to move, and on a GPU a pointer less aligned than planned,
  /// - a workspace whose address is not a multiple of 16, that overlaps the array, or that cannot be allocated,
  /// - memory that the planned device cannot access.
  /// Elements may have moved after the same two failures as in `permute_inplace`.
  void run(void* data, void* stream = nullptr, void* workspace = nullptr) const;

  /// The workspace that a run needs, in bytes; often 0. Each thread of the CPU also has memory of its own for one panel.
  std::int64_t workspace_bytes() const;

  /// Runs a plan of the CPU on threads of the caller, as `permutation_plan::run_on` does.
  void run_on(worker_threads const& workers, void* data, void* workspace = nullptr) const;

  /// Counts, on the host, the memory requests of the plan's kernels on a GPU. For a CPU plan, explains the kernels that a GPU
  /// would run for the same problem. The array is assumed to be aligned as by cudaMalloc, or less if the plan is for less aligned
  /// arrays. Throws `error` as `explain_plan` does.
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
