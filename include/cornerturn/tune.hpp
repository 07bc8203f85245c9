#pragma once

#include "cornerturn/cxx20.hpp"

#include <string>

#include "cornerturn/export.h"
#include "cornerturn/index_list.hpp"
#include "cornerturn/plan.hpp"

namespace cornerturn {

/// The result of `tune_permute` and `tune_quantize`.
struct tuned {
  std::string kernel;            ///< the fastest candidate, with its tile and access widths; empty if there is nothing to move
  double seconds = 0;            ///< measured seconds of one run of `kernel`
  double estimated_seconds = 0;  ///< measured seconds of one run of the candidate that an estimate would choose
};

/// Times the candidates of `plan_permute`, even if they were timed before, and stores the fastest one in the user's cache
/// directory. Plans made later use it. Plans that are already in the plan cache are replaced only after `cache_clear`.
///
/// The call takes less than half a second. It allocates the source and the destination; on the CPU, only a part of large ones.
/// `options.effort` is ignored. A choice for the CPU applies to the CPU model, the vector instructions and the number of threads
/// that it was measured with.
///
/// Throws `error` as `plan_permute` does, and an `error` of kind memory if memory runs out.
CORNERTURN_API tuned tune_permute(index_list shape, index_list axes, elements const& element, plan_options const& options = {});

/// Times the candidates of `quantize` on a GPU for a dense matrix, and stores the fastest one as `tune_permute` does. Later calls
/// of `quantize` for matrices and values of the same types, shape, strides and alignment, and the same scales and outputs, use
/// it.
///
/// Throws `error` as `quantize_candidates` does, for the CPU, which has one way to quantise, and as `tune_permute` does.
CORNERTURN_API tuned tune_quantize(quantized_case const& given, plan_options const& options = {});

}  // namespace cornerturn
