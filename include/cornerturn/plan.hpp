#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cornerturn/explain.hpp"
#include "cornerturn/export.h"
#include "cornerturn/index_list.hpp"
#include "cornerturn/processor.hpp"

namespace cornerturn {

/// How a plan is chosen: `estimate` uses a model of the processor and takes microseconds; `measure` times the best candidates and
/// takes up to half a second.
enum class planning_effort { estimate, measure };

struct plan_options {
  processor_kind processor = processor_kind::automatic;
  planning_effort effort = planning_effort::estimate;
  /// The alignment of the pointers in bytes, a power of two. More than 16 makes no difference.
  int source_alignment = 16, destination_alignment = 16;
  int device = -1;  ///< the number of the GPU; -1: the current one
};

struct prepared_plan;

/// The plan of one problem. It is immutable and cheap to copy, and any number of threads and streams may run it at once.
class CORNERTURN_API permutation_plan {
 public:
  /// `plan` and `plan_permute` make plans.
  explicit permutation_plan(std::shared_ptr<prepared_plan const> prepared);

  /// Runs the plan, on a GPU by enqueueing it on `stream` (a CUDA stream; null is the default one). The call allocates no device
  /// memory and does not synchronise, so it can be captured in a graph. Both pointers are the address of element (0, …, 0).
  ///
  /// Throws `error`, before any element is accessed, for null pointers if there is something to move, for pointers less aligned
  /// than planned, for overlapping address ranges and for memory that the planned device cannot access. A plan for a GPU takes
  /// that GPU's memory and managed memory; during stream capture it also takes memory that is unknown to CUDA.
  void run(void const* source, void* destination, void* stream = nullptr) const;

  /// Counts on the host what the plan asks of a GPU's memory; for a CPU plan, what a GPU would run instead. Buffers are assumed to
  /// be aligned as cudaMalloc's are, unless the plan is for less aligned ones. Throws `error` as `explain_plan` does.
  explanation explain() const;

  /// One line: the problem, the processor, the kernel with its tile and accesses, the expected time, and why it was chosen.
  std::string describe() const;

 private:
  std::shared_ptr<prepared_plan const> prepared_;
};

/// Plans a `strided_copy`. While `planning_effort::measure` times candidates, it allocates source and destination on the device,
/// or on the CPU, for large problems in part. It stores the quickest candidate for later plans.
///
/// Throws `error` for layouts that `strided_copy` refuses, for an alignment that is no power of two, and for a device that does
/// not exist.
CORNERTURN_API permutation_plan plan(index_list shape, index_list source_strides, index_list destination_strides,
                                     std::int64_t element_size, plan_options const& options = {});

/// Plans a `permute` between dense arrays; otherwise as `plan`.
CORNERTURN_API permutation_plan plan_permute(index_list shape, index_list axes, std::int64_t element_size,
                                             plan_options const& options = {});

/// One way to move a problem, and its estimate. The CPU has no model: on the CPU all but `kernel` is empty.
struct plan_candidate {
  std::string kernel;  ///< one line, with its tile and accesses
  double seconds = 0;  ///< that the kernel is expected to take on `gpu`
  double ratio = 0;    ///< the seconds that a copy of as many bytes is expected to take, divided by `seconds`
  std::string gpu;     ///< the GPU of the estimate: "an H200", or a name and what its model is scaled from
};

/// The ways in which a GPU, or with `processor_kind::cpu` the CPU, can do what `plan_permute` plans. The quickest comes first; an
/// estimate chooses it. The list is empty if there is nothing to move. Estimates hold for the GPU that the options name or that
/// is current; where none can be used, for an H200. The effort makes no difference.
CORNERTURN_API std::vector<plan_candidate> plan_candidates(index_list shape, index_list axes, std::int64_t element_size,
                                                           plan_options const& options = {});

}  // namespace cornerturn
