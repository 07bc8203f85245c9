#pragma once

#include <string_view>

#include "kernel/quantize/job.hpp"
#include "launch/run.hpp"

namespace cornerturn {

/// A matrix to quantise, as the kernel's parameter. A vector has 16 bytes.
struct quantize_job : quantization {
  bool reads_vectors = false;                        ///< rows of the source are whole aligned vectors
  bool writes_rows = false, writes_columns = false;  ///< rows of the outputs begin at aligned vectors
};

/// A launch of the quantize kernel, with the addresses of the outputs.
struct quantize_plan {
  static constexpr std::string_view family = "quantize";

  quantize_job job;
};

/// Plans a matrix whose scales need no other tile: all `scale_blocks` but `rows`. `source` is the address of its first element.
quantize_plan plan_quantize(quantization const& given, void const* source);

}  // namespace cornerturn
