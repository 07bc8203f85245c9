#pragma once

#include "cornerturn/cxx20.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cornerturn/element_operation.hpp"
#include "cornerturn/explain.hpp"
#include "cornerturn/export.h"
#include "cornerturn/index_list.hpp"
#include "cornerturn/processor.hpp"
#include "cornerturn/worker_threads.hpp"

namespace cornerturn {

/// How a plan is chosen. `estimate` uses a performance model of the processor and takes microseconds. `measure` times the best
/// candidates and takes up to half a second.
enum class planning_effort { estimate, measure };

/// Options of `plan`, `plan_permute`, `plan_candidates` and `tune_permute`.
struct plan_options {
  processor_kind processor = processor_kind::automatic;
  planning_effort effort = planning_effort::estimate;
  /// The guaranteed alignment of the pointers in bytes, a power of two. Values above 16 make no difference, nor do any on the
  /// CPU.
  int source_alignment = 16, destination_alignment = 16;
  int device = -1;  ///< the number of the GPU; -1: the current one
  int threads = 0;  ///< maximum number of threads of a run on the CPU; 0: no limit besides `set_num_threads`
  /// Strides of `plan_permute` and of functions with the same arguments, in elements: one per mode of the source, and one per
  /// mode of the destination; empty: dense, in C order.
  std::vector<std::int64_t> source_strides = {}, destination_strides = {};
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
  /// A plan for a GPU takes that GPU's memory and managed memory; during stream capture it also takes memory that is unknown to
  /// CUDA. Throws `error`, before any element is accessed, for null pointers if there is something to move, overlapping address
  /// ranges, memory that the planned device cannot access and, on a GPU, pointers less aligned than planned.
  void run(void const* source, void* destination, void* stream = nullptr) const;

  /// Runs a plan of the CPU on threads of the caller, which take the place of the library's. There is one part for each 128 KiB,
  /// and at most `workers.count` and the plan's limit of threads.
  ///
  /// Throws `error` as `run` does, and for a plan of a GPU and for workers without a function or with a count below 1. Also
  /// throws `error`, with the destination in part written, if `workers.parallel_for` does not call each part once. Exceptions of
  /// `parallel_for` pass through.
  void run_on(worker_threads const& workers, void const* source, void* destination) const;

  /// Counts, on the host, the memory requests of the plan's kernel on a GPU. For a CPU plan, explains the kernel that a GPU would
  /// run for the same problem. Buffers are assumed to be aligned as by cudaMalloc, or less if the plan is for less aligned ones.
  /// Throws `error` as `explain_plan` does.
  explanation explain() const;

  /// One line: the problem with its shape and its strides in bytes, as in NumPy, the processor, the kernel with its tile and
  /// access widths, the expected time, and why it was chosen.
  std::string describe() const;

 private:
  std::shared_ptr<prepared_plan const> prepared_;
};

/// Plans a `strided_copy`. Strides count elements. With `planning_effort::measure` it allocates source and destination on the
/// device or in host memory (of large arrays, a part), times the candidates, and stores the fastest one in the user's cache
/// directory for later plans.
///
/// Throws `error` for layouts that `strided_copy` rejects, for an alignment that is not a power of two, and for a device that
/// does not exist.
CORNERTURN_API permutation_plan plan(index_list shape, index_list source_strides, index_list destination_strides,
                                     elements const& element, plan_options const& options = {});

/// Plans a `permute`, between arrays in C order unless the options have strides; otherwise like `plan`.
///
/// ```cpp
/// auto const plan = cornerturn::plan_permute({480, 640, 3}, {2, 0, 1}, 1, {.processor = cornerturn::processor_kind::cpu});
/// std::cout << plan.describe() << '\n';
/// std::vector<std::uint8_t> image(480 * 640 * 3, 7), planes(image.size());
/// plan.run(image.data(), planes.data());
/// ```
CORNERTURN_API permutation_plan plan_permute(index_list shape, index_list axes, elements const& element,
                                             plan_options const& options = {});

/// The GPU whose model estimates candidates: the one in the options or the current one, or an H200 if no GPU can be used; or an
/// H200 in any case.
enum class estimated_gpu { here, h200 };

/// One kernel that can run a plan, with its estimate.
struct plan_candidate {
  std::string kernel;  ///< one line: the kernel with its tile and access widths
  double seconds = 0;  ///< expected seconds on the processor of `model`
  /// Expected speed as a ratio to a copy that reads and writes the same number of bytes. On a GPU both are launched many times in
  /// a row, as in a CUDA graph: small launches overlap there, so that a ratio above 1 is not one of a single launch.
  double ratio = 0;
  /// The processor of the estimate: "an H200", or the GPU's name and the GPU from which its model is scaled. It says if no GPU
  /// can be used. Of the CPU "2 threads of an AMD EPYC (Zen 4)", and that another CPU has no model of its own.
  std::string model;
  std::string why = {};  ///< why it was chosen among the candidates, e.g. "measured before"; empty in a list of candidates
};

/// The candidates of `plan_permute` on a GPU or, with `processor_kind::cpu`, on the CPU. `planning_effort::estimate` chooses the
/// first one: on a GPU the fastest, on the CPU by rules that do not depend on the times. The list is empty if there is nothing to
/// move. `options.effort` is ignored.
CORNERTURN_API std::vector<plan_candidate> plan_candidates(index_list shape, index_list axes, elements const& element,
                                                           plan_options const& options = {},
                                                           estimated_gpu gpu = estimated_gpu::here);

/// One way to quantise a matrix on a GPU. The ratio is to a copy that reads the matrix once and writes the outputs.
struct quantize_candidate : plan_candidate {
  int launches = 1;                ///< each reads the matrix once
  std::int64_t read_bytes = 0;     ///< bytes read from the matrix; scales are not counted
  std::int64_t written_bytes = 0;  ///< bytes of the values in all outputs
};

/// The candidates of `quantize` on a GPU, the fastest first. With `scale_blocks::rows` there are two launches and, if rows are
/// the only output and have at most 32 KiB, one launch is another candidate.
///
/// Throws `error` for types that `quantize` rejects, extents below 1 or above 2^30, no output, and more than 2^31 - 1 tiles of
/// 128 x 128 elements.
CORNERTURN_API std::vector<quantize_candidate> quantize_candidates(quantized_case const& given,
                                                                   estimated_gpu gpu = estimated_gpu::here);

/// The candidate that `quantize` runs: the choice that was measured on the GPU, else the first one. `explain_quantize` also
/// counts its requests. Throws `error` as `quantize_candidates` does.
CORNERTURN_API quantize_candidate plan_quantize(quantized_case const& given, estimated_gpu gpu = estimated_gpu::here);

}  // namespace cornerturn
