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

/// How a plan is chosen: by what is known of the processor, within microseconds, or by timing the best of its candidates, within
/// half a second.
enum class effort { estimate, measure };

struct plan_options {
  enum processor processor = processor::automatic;
  enum effort effort = effort::estimate;
  /// Bytes, a power of two, that the pointers will be multiples of; what lies beyond 16 makes no difference.
  int source_alignment = 16, destination_alignment = 16;
  int device = -1;  ///< the number of the GPU; -1: the current one
};

struct prepared_plan;

/// How one problem is moved. It is immutable and cheap to copy, and any number of threads and streams may run it at once.
class CORNERTURN_API Plan {
 public:
  /// `plan` and `plan_permute` make plans.
  explicit Plan(std::shared_ptr<prepared_plan const> prepared);

  /// Moves the problem, on a GPU by enqueueing it on `stream` (a CUDA stream; null is the default one): that allocates no memory
  /// and waits for nothing, so it can be captured in a graph. Either pointer is that of element (0, …, 0).
  ///
  /// Throws `error`, before anything is touched: null pointers where there is something to move, pointers less aligned than
  /// planned, overlap by address range, memory that the planned device does not reach. A GPU's plan takes its own memory and
  /// managed memory, and where the stream is being captured also memory that CUDA does not know.
  void run(void const* source, void* destination, void* stream = nullptr) const;

  /// What the plan asks of a GPU's memory, counted on the host; of a plan for the CPU, what a GPU would run instead. Buffers are
  /// taken to begin where cudaMalloc's do, unless the plan is for less aligned ones. Throws `error` as `explain_plan` does.
  explanation explain() const;

  /// One line: kernel, tile, accesses, the time expected, who runs it, and why it was chosen.
  std::string describe() const;

 private:
  std::shared_ptr<prepared_plan const> prepared_;
};

/// Plans what `strided_copy` does, for pointers that come later. `effort::measure` allocates both sides, on the device or, on the
/// CPU, of large problems a part, for as long as it times; and it remembers what it found.
///
/// Throws `error` for what `strided_copy` refuses of its layouts, an alignment that is no power of two, a device that is not
/// there.
CORNERTURN_API Plan plan(index_list shape, index_list source_strides, index_list destination_strides, std::int64_t element_size,
                         plan_options const& options = {});

/// The same for what `permute` does between dense arrays.
CORNERTURN_API Plan plan_permute(index_list shape, index_list axes, std::int64_t element_size, plan_options const& options = {});

/// One way to move a problem, and its estimate. The CPU has no model: on the CPU all but `kernel` is empty.
struct plan_candidate {
  std::string kernel;  ///< one line, with its tile and accesses
  double seconds = 0;  ///< that the kernel is expected to take on `gpu`
  double ratio = 0;    ///< the seconds that a copy of as many bytes is expected to take, divided by `seconds`
  std::string gpu;     ///< the GPU of the estimate: "an H200", or a name and what its model is scaled from
};

/// The ways in which a GPU, or with `processor::cpu` the CPU, can do what `plan_permute` plans. The quickest comes first; an
/// estimate chooses it. The list is empty if there is nothing to move. Estimates hold for the GPU that the options name or that
/// is current; where none can be used, for an H200. The effort makes no difference.
CORNERTURN_API std::vector<plan_candidate> plan_candidates(index_list shape, index_list axes, std::int64_t element_size,
                                                           plan_options const& options = {});

}  // namespace cornerturn
